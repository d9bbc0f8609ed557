import { hostname } from 'node:os';

/** This machine's name, told to clients where a listener has every address. */
export const hostName = (): string => hostname();
