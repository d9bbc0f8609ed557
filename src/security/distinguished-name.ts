/**
 * The subject of a certificate as Java writes it (RFC 2253): the last name first, values that are no plain text as their bytes. That text is what rights are given
 * to, so every odd way of Java is kept.
 */

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_ID = 0x06;
/** [0], in which a certificate tells its version. */
const VERSION = 0xa0;
/** UTF8, Printable, T61, IA5, General and BMP strings: Java reads the bytes of all of them as UTF-8. */
const textTags: ReadonlySet<number> = new Set([12, 19, 20, 22, 27, 30]);

const keywords: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'STREET',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
};

/** What cannot be read as a certificate; a peer's certificate was read by OpenSSL before. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** The name of whom a certificate (DER) is for. Throws CertificateError. */
export function subjectName(certificate: Uint8Array): string {
  const [body] = elementsOf(only(elementsOf(certificate), SEQUENCE).content);
  if (body === undefined) throw new CertificateError('it is empty');
  const fields = elementsOf(body.content);
  // serial number, signature, issuer, validity, subject
  const subject = fields[fields[0]?.tag === VERSION ? 5 : 4];
  if (subject === undefined) throw new CertificateError('it has no subject');
  return distinguishedName(subject.bytes);
}

/** A name (DER) as a text. Throws CertificateError. */
export function distinguishedName(name: Uint8Array): string {
  const parts = elementsOf(only(elementsOf(name), SEQUENCE).content);
  return parts
    .toReversed()
    .map((part) => elementsOf(demand(part, SET).content).map(attributeText).join('+'))
    .join(',');
}

function attributeText(attribute: Element): string {
  const [type, value] = elementsOf(demand(attribute, SEQUENCE).content);
  if (type === undefined || value === undefined) throw new CertificateError('an attribute has no value');
  const id = objectId(demand(type, OBJECT_ID).content);
  const keyword = keywords[id];
  if (keyword === undefined || !textTags.has(value.tag)) return `${keyword ?? id}=#${Buffer.from(value.bytes).toString('hex')}`;
  return `${keyword}=${escaped(new TextDecoder('utf-8', { ignoreBOM: true }).decode(value.content))}`;
}

/** Spaces and carriage returns at both ends, and whatever has a meaning, stand behind a backslash. */
function escaped(text: string): string {
  const [, before = '', middle = '', after = ''] = /^([ \r]*)([^]*?)([ \r]*)$/.exec(text) ?? [];
  const plain = middle.replace(/[,=+<>#;"\\]/g, '\\$&').replaceAll('\0', '\\00');
  return before.replace(/[^]/g, '\\$&') + plain + after.replace(/[^]/g, '\\$&');
}

function objectId(bytes: Uint8Array): string {
  const numbers: bigint[] = [];
  let number = 0n;
  for (const byte of bytes) {
    number = (number << 7n) | BigInt(byte & 0x7f);
    if ((byte & 0x80) !== 0) continue;
    numbers.push(number);
    number = 0n;
  }
  const [first = 0n, ...rest] = numbers;
  const root = first < 80n ? first / 40n : 2n;
  return [root, first - root * 40n, ...rest].join('.');
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly bytes: Uint8Array;
}

/** The DER elements that stand one after the other. */
function elementsOf(bytes: Uint8Array): Element[] {
  const elements: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const element = elementAt(bytes, at);
    elements.push(element);
    at += element.bytes.length;
  }
  return elements;
}

function elementAt(bytes: Uint8Array, at: number): Element {
  const [tag = 0, short = 0] = bytes.subarray(at, at + 2);
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
  if (lengthBytes > 4) throw new CertificateError('it is cut off');
  let length = short;
  if (lengthBytes > 0) length = bytes.subarray(at + 2, at + 2 + lengthBytes).reduce((sum, byte) => sum * 256 + byte, 0);
  const from = at + 2 + lengthBytes;
  if (from + length > bytes.length) throw new CertificateError('it is cut off');
  return { tag, content: bytes.subarray(from, from + length), bytes: bytes.subarray(at, from + length) };
}

function only(elements: readonly Element[], tag: number): Element {
  const [first] = elements;
  if (first === undefined || elements.length !== 1) throw new CertificateError('it is not one element');
  return demand(first, tag);
}

function demand(element: Element, tag: number): Element {
  if (element.tag !== tag) throw new CertificateError(`there is an element ${element.tag} in place of ${tag}`);
  return element;
}
