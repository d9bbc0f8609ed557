const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \1-----/g;
const LINE = /.{1,64}/g;

export interface PemBlocks {
  /** Certificates, in their order, as one text. */
  readonly certificates: string;
  readonly certificateCount: number;
  /** The first private key; null if there is none. */
  readonly key: string | null;
}

/**
 * The certificates and the private key in a text. In a config a PEM may stand on one line, and in a file there may be anything around it; what comes out has the
 * lines that PEM asks for.
 */
export function readPem(text: string): PemBlocks {
  const certificates: string[] = [];
  let key: string | null = null;
  for (const [block, label = '', body = ''] of text.matchAll(BLOCK)) {
    // Headers of old encrypted keys are lines of their own.
    const lined = body.includes(':') ? block : lines(label, body);
    if (/\bCERTIFICATE$/.test(label)) certificates.push(lined);
    else if (/\bPRIVATE KEY$/.test(label)) key ??= lined;
  }
  return { certificates: certificates.join('\n'), certificateCount: certificates.length, key };
}

const lines = (label: string, body: string): string =>
  [`-----BEGIN ${label}-----`, ...(body.replace(/\s/g, '').match(LINE) ?? []), `-----END ${label}-----`, ''].join('\n');
