/**
 * An immutable sorted map: `set` and `delete` give a new map that shares all but O(log n) of the old one. It is what lets an
 * image of a hundred thousand topics be replaced by another one for each change, and an old state be kept by keeping a reference.
 * (A weight-balanced tree: the sizes of two siblings differ by a factor of three at most.)
 */
export class PersistentMap<K, V> {
  readonly #compare: Compare<K>;
  readonly #root: Node<K, V> | null;

  private constructor(compare: Compare<K>, root: Node<K, V> | null) {
    this.#compare = compare;
    this.#root = root;
  }

  static empty<K, V>(compare: Compare<K>): PersistentMap<K, V> {
    return new PersistentMap<K, V>(compare, null);
  }

  static ofStrings<V>(): PersistentMap<string, V> {
    return new PersistentMap<string, V>(compareStrings, null);
  }

  static ofNumbers<V>(): PersistentMap<number, V> {
    return new PersistentMap<number, V>(compareNumbers, null);
  }

  get size(): number {
    return sizeOf(this.#root);
  }

  get(key: K): V | undefined {
    let node = this.#root;
    while (node !== null) {
      const order = this.#compare(key, node.key);
      if (order === 0) return node.value;
      node = order < 0 ? node.left : node.right;
    }
    return undefined;
  }

  has(key: K): boolean {
    let node = this.#root;
    while (node !== null) {
      const order = this.#compare(key, node.key);
      if (order === 0) return true;
      node = order < 0 ? node.left : node.right;
    }
    return false;
  }

  set(key: K, value: V): PersistentMap<K, V> {
    return new PersistentMap(this.#compare, insert(this.#root, key, value, this.#compare));
  }

  /** The same map if the key is missing. */
  delete(key: K): PersistentMap<K, V> {
    return this.has(key) ? new PersistentMap(this.#compare, remove(this.#root, key, this.#compare)) : this;
  }

  /** Entries in key order, from `from` (included) if given. */
  *entries(from?: K): Generator<[K, V]> {
    const path: Node<K, V>[] = [];
    let node = this.#root;
    while (node !== null) {
      if (from !== undefined && this.#compare(node.key, from) < 0) {
        node = node.right;
        continue;
      }
      path.push(node);
      node = node.left;
    }
    for (let next = path.pop(); next !== undefined; next = path.pop()) {
      yield [next.key, next.value];
      for (let child = next.right; child !== null; child = child.left) path.push(child);
    }
  }

  *keys(from?: K): Generator<K> {
    for (const [key] of this.entries(from)) yield key;
  }

  *values(): Generator<V> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): Generator<[K, V]> {
    return this.entries();
  }
}

/** Negative, zero or positive, as for Array.prototype.sort. */
export type Compare<K> = (a: K, b: K) => number;

/** Code unit order, the order of Java's String.compareTo. */
export const compareStrings: Compare<string> = (a, b) => (a === b ? 0 : a < b ? -1 : 1);
export const compareNumbers: Compare<number> = (a, b) => a - b;

interface Node<K, V> {
  readonly key: K;
  readonly value: V;
  readonly size: number;
  readonly left: Node<K, V> | null;
  readonly right: Node<K, V> | null;
}

type Tree<K, V> = Node<K, V> | null;

/** How many times heavier one side may be than the other, and when a double rotation is needed: the proven pair (3, 2). */
const WEIGHT_RATIO = 3;
const DOUBLE_ROTATION_RATIO = 2;

function sizeOf(tree: { readonly size: number } | null): number {
  return tree === null ? 0 : tree.size;
}

function node<K, V>(key: K, value: V, left: Tree<K, V>, right: Tree<K, V>): Node<K, V> {
  return { key, value, size: sizeOf(left) + sizeOf(right) + 1, left, right };
}

function insert<K, V>(tree: Tree<K, V>, key: K, value: V, compare: Compare<K>): Node<K, V> {
  if (tree === null) return node(key, value, null, null);
  const order = compare(key, tree.key);
  if (order === 0) return node(key, value, tree.left, tree.right);
  return order < 0
    ? balanced(tree, insert(tree.left, key, value, compare), tree.right)
    : balanced(tree, tree.left, insert(tree.right, key, value, compare));
}

function remove<K, V>(tree: Tree<K, V>, key: K, compare: Compare<K>): Tree<K, V> {
  if (tree === null) return null;
  const order = compare(key, tree.key);
  if (order < 0) return balanced(tree, remove(tree.left, key, compare), tree.right);
  if (order > 0) return balanced(tree, tree.left, remove(tree.right, key, compare));
  if (tree.left === null) return tree.right;
  if (tree.right === null) return tree.left;
  const successor = first(tree.right);
  return balanced(successor, tree.left, remove(tree.right, successor.key, compare));
}

function first<K, V>(tree: Node<K, V>): Node<K, V> {
  let node = tree;
  while (node.left !== null) node = node.left;
  return node;
}

/** A node with `top`'s entry over two trees of which one may have just grown or shrunk by one. */
function balanced<K, V>(top: Node<K, V>, left: Tree<K, V>, right: Tree<K, V>): Node<K, V> {
  const leftWeight = sizeOf(left) + 1;
  const rightWeight = sizeOf(right) + 1;
  if (right !== null && rightWeight > WEIGHT_RATIO * leftWeight) return rotatedLeft(top, left, right);
  if (left !== null && leftWeight > WEIGHT_RATIO * rightWeight) return rotatedRight(top, left, right);
  return node(top.key, top.value, left, right);
}

function rotatedLeft<K, V>(top: Node<K, V>, left: Tree<K, V>, right: Node<K, V>): Node<K, V> {
  const inner = right.left;
  if (inner === null || sizeOf(inner) + 1 < DOUBLE_ROTATION_RATIO * (sizeOf(right.right) + 1)) {
    return node(right.key, right.value, node(top.key, top.value, left, inner), right.right);
  }
  return node(
    inner.key,
    inner.value,
    node(top.key, top.value, left, inner.left),
    node(right.key, right.value, inner.right, right.right),
  );
}

function rotatedRight<K, V>(top: Node<K, V>, left: Node<K, V>, right: Tree<K, V>): Node<K, V> {
  const inner = left.right;
  if (inner === null || sizeOf(inner) + 1 < DOUBLE_ROTATION_RATIO * (sizeOf(left.left) + 1)) {
    return node(left.key, left.value, left.left, node(top.key, top.value, inner, right));
  }
  return node(
    inner.key,
    inner.value,
    node(left.key, left.value, left.left, inner.left),
    node(top.key, top.value, inner.right, right),
  );
}
