/** A load that does nothing for a while: a beat of its members, or the time that is measured. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
