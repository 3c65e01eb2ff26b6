import { randomInt } from 'node:crypto';

/** No vowels, so that no words come out, and nothing that is read as something else. Source: RFC 8628 section 6.1. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
/** 20^8: 34 bits, for ten minutes, at ten guesses a minute and person. */
const LENGTH = 8;

/** A code that people type: `BCDF-GHJK`. */
export function createUserCode(): string {
  const code = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** The one form of a code that was typed in any case, with or without its hyphen. */
export function normalizeUserCode(typed: string): string {
  const code = typed.toUpperCase().replaceAll(/[^A-Z]/g, '');
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}
