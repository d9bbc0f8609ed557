/**
 * XXH3 with 64 bits and without a seed (xxhash.com, version 0.8): Kafka persists it as the hash of the metadata a group has seen. The long loop counts in
 * halves of 32 bits, because a BigInt a step would cost twenty times as much; the short forms and the end use BigInt.
 */
const SECRET = Buffer.from(
  'b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f' +
    'cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c' +
    '3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8' +
    'a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364' +
    'eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e' +
    '2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e',
  'hex',
);

const PRIME32_1 = 0x9e37_79b1n;
const PRIME32_2 = 0x85eb_ca77n;
const PRIME32_3 = 0xc2b2_ae3dn;
const PRIME64_1 = 0x9e37_79b1_85eb_ca87n;
const PRIME64_2 = 0xc2b2_ae3d_27d4_eb4fn;
const PRIME64_3 = 0x1656_67b1_9e37_79f9n;
const PRIME64_4 = 0x85eb_ca77_c2b2_ae63n;
const PRIME64_5 = 0x27d4_eb2f_1656_67c5n;
const MIX_1 = 0x1656_6791_9e37_79f9n;
const MIX_2 = 0x9fb2_1c65_1e98_df25n;

const STRIPE_BYTES = 64;
const STRIPES_A_BLOCK = (SECRET.length - STRIPE_BYTES) / 8;

/** The hash as a signed 64-bit integer. */
export function xxh3(bytes: Buffer): bigint {
  return BigInt.asIntN(64, hashOf(bytes));
}

function hashOf(bytes: Buffer): bigint {
  const { length } = bytes;
  if (length > 240) return hashLong(bytes);
  if (length > 128) return hashTo240(bytes);
  if (length > 16) return hashTo128(bytes);
  if (length > 8) return hashTo16(bytes);
  if (length >= 4) return hashTo8(bytes);
  if (length > 0) return hashTo3(bytes);
  return avalanche64(secret(56) ^ secret(64));
}

function hashTo3(bytes: Buffer): bigint {
  const { length } = bytes;
  const combined =
    (bytes.readUInt8(0) << 16) | (bytes.readUInt8(length >> 1) << 24) | bytes.readUInt8(length - 1) | (length << 8);
  const flip = SECRET.readUInt32LE(0) ^ SECRET.readUInt32LE(4);
  return avalanche64(BigInt((combined ^ flip) >>> 0));
}

function hashTo8(bytes: Buffer): bigint {
  const first = BigInt(bytes.readUInt32LE(0));
  const last = BigInt(bytes.readUInt32LE(bytes.length - 4));
  let hash = (last + (first << 32n)) ^ secret(8) ^ secret(16);
  hash ^= rotateLeft(hash, 49n) ^ rotateLeft(hash, 24n);
  hash = u64(hash * MIX_2);
  hash ^= (hash >> 35n) + BigInt(bytes.length);
  hash = u64(hash * MIX_2);
  return hash ^ (hash >> 28n);
}

function hashTo16(bytes: Buffer): bigint {
  const low = bytes.readBigUInt64LE(0) ^ secret(24) ^ secret(32);
  const high = bytes.readBigUInt64LE(bytes.length - 8) ^ secret(40) ^ secret(48);
  return avalanche(BigInt(bytes.length) + swapBytes(low) + high + foldedProduct(low, high));
}

function hashTo128(bytes: Buffer): bigint {
  const { length } = bytes;
  let sum = BigInt(length) * PRIME64_1;
  for (let index = Math.floor((length - 1) / 32); index >= 0; index--) {
    sum += mix16(bytes, 16 * index, 32 * index) + mix16(bytes, length - 16 * (index + 1), 32 * index + 16);
  }
  return avalanche(sum);
}

function hashTo240(bytes: Buffer): bigint {
  const { length } = bytes;
  let sum = BigInt(length) * PRIME64_1;
  for (let index = 0; index < 8; index++) sum += mix16(bytes, 16 * index, 16 * index);
  sum = avalanche(sum);
  for (let index = 8; index < Math.floor(length / 16); index++) sum += mix16(bytes, 16 * index, 16 * (index - 8) + 3);
  return avalanche(sum + mix16(bytes, length - 16, 136 - 17));
}

function hashLong(bytes: Buffer): bigint {
  const { length } = bytes;
  const lanes = new Uint32Array(16);
  const starts = [PRIME32_3, PRIME64_1, PRIME64_2, PRIME64_3, PRIME64_4, PRIME32_2, PRIME64_5, PRIME32_1];
  for (const [lane, start] of starts.entries()) {
    lanes[2 * lane] = Number(start & 0xffff_ffffn);
    lanes[2 * lane + 1] = Number(start >> 32n);
  }
  // The last 64 bytes are a stripe of their own, even where it overlaps the one before.
  const stripes = Math.floor((length - 1) / STRIPE_BYTES);
  for (let stripe = 0; stripe < stripes; stripe++) {
    const inBlock = stripe % STRIPES_A_BLOCK;
    accumulate(lanes, bytes, stripe * STRIPE_BYTES, 8 * inBlock);
    if (inBlock === STRIPES_A_BLOCK - 1) scramble(lanes);
  }
  accumulate(lanes, bytes, length - STRIPE_BYTES, SECRET.length - STRIPE_BYTES - 7);

  let sum = BigInt(length) * PRIME64_1;
  const lane = (index: number): bigint => (BigInt(lanes[2 * index + 1] as number) << 32n) | BigInt(lanes[2 * index] as number);
  for (let index = 0; index < 8; index += 2) {
    sum += foldedProduct(lane(index) ^ secret(11 + 8 * index), lane(index + 1) ^ secret(19 + 8 * index));
  }
  return avalanche(sum);
}

/** Adds a stripe to the lanes: the data to the neighbour, the product of the halves of the keyed data to its own. */
function accumulate(lanes: Uint32Array, bytes: Buffer, position: number, secretPosition: number): void {
  for (let lane = 0; lane < 8; lane++) {
    const low = bytes.readUInt32LE(position + 8 * lane);
    const high = bytes.readUInt32LE(position + 8 * lane + 4);
    const neighbour = 2 * (lane ^ 1);
    const neighbourLow = (lanes[neighbour] as number) + low;
    lanes[neighbour] = neighbourLow;
    lanes[neighbour + 1] = (lanes[neighbour + 1] as number) + high + (neighbourLow > 0xffff_ffff ? 1 : 0);

    const keyLow = (low ^ SECRET.readUInt32LE(secretPosition + 8 * lane)) >>> 0;
    const keyHigh = (high ^ SECRET.readUInt32LE(secretPosition + 8 * lane + 4)) >>> 0;
    addProduct(lanes, 2 * lane, keyLow, keyHigh);
  }
}

/** Adds the 64-bit product of two 32-bit numbers to a lane; the parts stay below 2^53. */
function addProduct(lanes: Uint32Array, at: number, left: number, right: number): void {
  const leftHigh = left >>> 16;
  const leftLow = left & 0xffff;
  const middle = leftHigh * right;
  const low = leftLow * right + (middle % 0x1_0000) * 0x1_0000;
  const high = Math.floor(middle / 0x1_0000);
  const sum = (lanes[at] as number) + (low >>> 0);
  lanes[at] = sum;
  lanes[at + 1] = (lanes[at + 1] as number) + high + Math.floor(low / 0x1_0000_0000) + (sum > 0xffff_ffff ? 1 : 0);
}

function scramble(lanes: Uint32Array): void {
  const secretPosition = SECRET.length - STRIPE_BYTES;
  for (let lane = 0; lane < 8; lane++) {
    let hash = (BigInt(lanes[2 * lane + 1] as number) << 32n) | BigInt(lanes[2 * lane] as number);
    hash = u64((hash ^ (hash >> 47n) ^ secret(secretPosition + 8 * lane)) * PRIME32_1);
    lanes[2 * lane] = Number(hash & 0xffff_ffffn);
    lanes[2 * lane + 1] = Number(hash >> 32n);
  }
}

function mix16(bytes: Buffer, position: number, secretPosition: number): bigint {
  return foldedProduct(
    bytes.readBigUInt64LE(position) ^ secret(secretPosition),
    bytes.readBigUInt64LE(position + 8) ^ secret(secretPosition + 8),
  );
}

/** The halves of the 128-bit product, one over the other. */
function foldedProduct(left: bigint, right: bigint): bigint {
  const product = left * right;
  return u64(product) ^ (product >> 64n);
}

function avalanche(value: bigint): bigint {
  let hash = u64(value);
  hash = u64((hash ^ (hash >> 37n)) * MIX_1);
  return hash ^ (hash >> 32n);
}

/** The ending of the older XXH64, which the shortest inputs have. */
function avalanche64(value: bigint): bigint {
  let hash = u64((value ^ (value >> 33n)) * PRIME64_2);
  hash = u64((hash ^ (hash >> 29n)) * PRIME64_3);
  return hash ^ (hash >> 32n);
}

function rotateLeft(value: bigint, bits: bigint): bigint {
  return u64(value << bits) | (value >> (64n - bits));
}

function swapBytes(value: bigint): bigint {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.readBigUInt64BE();
}

function secret(position: number): bigint {
  return SECRET.readBigUInt64LE(position);
}

function u64(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
