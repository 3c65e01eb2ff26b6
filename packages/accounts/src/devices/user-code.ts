import { randomInt } from 'node:crypto';

/** No vowels, so that codes spell no words, and no look-alikes. Source: RFC 8628 section 6.1. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** 20^8 codes are 34 bits, against ten guesses a minute per person for ten minutes. */
const LENGTH = 8;

/** Returns a code for people to type, e.g. `BCDF-GHJK`. */
export function createUserCode(): string {
  const code = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** Returns the canonical form of a code typed in any case, with or without its hyphen. */
export function normalizeUserCode(typed: string): string {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}
