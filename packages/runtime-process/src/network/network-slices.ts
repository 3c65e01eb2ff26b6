import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcess } from '@berth/runtime/drivers';
import * as z from 'zod';

/**
 * A share of the addresses and names that the servers on this machine divide among them. The name of every kernel object of a server contains
 * the slice's name, so that another server can remove the objects of an abandoned slice.
 */
export interface NetworkSlice {
  /** From 0. */
  readonly index: number;
  /** Gives up the slice. Idempotent. */
  release(): void;
}

/** 64 slices of 2,048 addresses in 198.18.0.0/15, which is reserved for tests of network devices (RFC 2544) and hardly used. */
const SLICE_COUNT = 64;
const ADDRESSES_PER_SLICE = 2_048;
const FIRST_ADDRESS = (198 << 24) + (18 << 16);

/** Number of the first link: programs don't get the first address of a slice. */
export const FIRST_LINK = 1;
/** Number of the last link of a slice. */
export const LAST_LINK = ADDRESSES_PER_SLICE - 1;

const Claim = z.object({ pid: z.int().positive(), startTicks: z.int().nonnegative() });

/** Returns the address of the program at the other end of a link. */
export function programAddress(slice: number, link: number): string {
  return formatAddress(FIRST_ADDRESS + slice * ADDRESSES_PER_SLICE + link);
}

/** This machine's address in all networks of all servers: the first address of the first slice. */
export const HOST_ADDRESS = programAddress(0, 0);

/** Returns all addresses of a slice, in CIDR form. */
export function sliceNetwork(slice: number): string {
  return `${programAddress(slice, 0)}/21`;
}

function formatAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.');
}

/** Returns the name of a slice: two hexadecimal digits. */
export function sliceName(index: number): string {
  return index.toString(16).padStart(2, '0');
}

/**
 * Takes over the claims of dead servers, so that only this process removes their networks. Such a slice can't be taken until `settle` is
 * called.
 * @param folder Accessible to root only, and empty after a boot (`/run/berth`).
 */
export function takeAbandonedSlices(folder: string): { readonly index: number; settle(): void }[] {
  return readClaims(folder).flatMap(({ index, file, isHeld }) => {
    if (isHeld) return [];
    const taken = `${pathOf(folder, index)}.${process.pid}`;
    try {
      renameSync(join(folder, file), taken);
    } catch {
      // Another server took it first.
      return [];
    }
    return [{ index, settle: () => rmSync(taken, { force: true }) }];
  });
}

/**
 * Takes a free slice.
 * @param start Index at which the search starts. Different starts make collisions of servers rare.
 * @throws Error when all slices are taken.
 */
export function takeSlice(folder: string, start: number): NetworkSlice {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const startTicks = readProcess(process.pid)?.startTicks ?? 0;
  const known = new Set(readClaims(folder).map(({ index }) => index));
  for (let step = 0; step < SLICE_COUNT; step++) {
    const index = (start + step) % SLICE_COUNT;
    if (known.has(index)) continue;
    try {
      // The kernel lets only one server create the file.
      writeFileSync(pathOf(folder, index), JSON.stringify({ pid: process.pid, startTicks }), {
        flag: 'wx',
        mode: 0o600,
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    return { index, release: () => rmSync(pathOf(folder, index), { force: true }) };
  }
  throw new Error(`${SLICE_COUNT} servers on this machine have networks already`);
}

function pathOf(folder: string, index: number): string {
  return join(folder, `network-${sliceName(index)}`);
}

interface FoundClaim {
  readonly index: number;
  readonly file: string;
  readonly isHeld: boolean;
}

function readClaims(folder: string): FoundClaim[] {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return readdirSync(folder).flatMap((file) => {
    const [, digits, cleaner] = /^network-([0-9a-f]{2})(?:\.(\d+))?$/.exec(file) ?? [];
    if (digits === undefined) return [];
    const index = Number.parseInt(digits, 16);
    const isCleaned = cleaner !== undefined && readProcess(Number(cleaner)) !== undefined;
    return [{ index, file, isHeld: isCleaned || isHeld(join(folder, file)) }];
  });
}

/** Returns whether a claim's server runs. An empty file is being written, so its server runs. */
function isHeld(path: string): boolean {
  try {
    const text = readFileSync(path, 'utf8');
    if (text === '') return true;
    const { pid, startTicks } = Claim.parse(JSON.parse(text));
    return readProcess(pid)?.startTicks === startTicks;
  } catch {
    return false;
  }
}
