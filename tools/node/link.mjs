/**
 * Puts the Node.js of this folder first on the path of every npm run where npm 10 does not: it makes the link, and then clears away
 * what belongs to the packages for other machines, whose link has the same name. npm runs this when it has installed everything.
 */
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));
const binary = `node-${process.platform}-${process.arch}/bin/node`;
const link = `${modules}.bin/node`;

if (existsSync(modules + binary) && !existsSync(link)) {
  rmSync(link, { force: true });
  symlinkSync(`../${binary}`, link);
}
