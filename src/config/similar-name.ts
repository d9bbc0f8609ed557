/** As many letters may be wrong, missing, too many or changed places. */
const DISTANCE_MAX = 2;

/** The known name that was probably meant; null if none is near. */
export function similarName(written: string, known: Iterable<string>): string | null {
  let nearest: string | null = null;
  let least = DISTANCE_MAX + 1;
  for (const name of known) {
    if (Math.abs(name.length - written.length) >= least) continue;
    const distance = distanceOf(written, name);
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/** How many single letters have to be put in, left out, replaced or exchanged with their neighbour to make one text of the other. */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      let distance = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      const isExchanged = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isExchanged) distance = Math.min(distance, (beforeLast[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
