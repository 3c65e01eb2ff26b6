import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readProcess } from '../process-table/read-processes.ts';

/**
 * A part of the addresses and of the names that the servers of this machine share out among them. All that a server makes in
 * the kernel has a name with the slice's in it, so that whoever finds the slice abandoned can take all of it away.
 */
export interface NetworkSlice {
  /** From 0. */
  readonly index: number;
  /** Two hexadecimal digits. */
  readonly name: string;
  /** Idempotent. */
  release(): void;
}

/** 198.18.0.0/15 is set aside for tests of network devices (RFC 2544) and used by next to nobody: 64 slices of 2,048 addresses. */
const SLICE_COUNT = 64;
const ADDRESSES_PER_SLICE = 2_048;
const FIRST_ADDRESS = (198 << 24) + (18 << 16);

/** The first address of a slice is no program's. */
export const FIRST_LINK = 1;
export const LAST_LINK = ADDRESSES_PER_SLICE - 1;

const Claim = z.object({ pid: z.int().positive(), startTicks: z.int().nonnegative() });

/** The address of the program at the other end of a link. */
export function programAddress(slice: number, link: number): string {
  return formatAddress(FIRST_ADDRESS + slice * ADDRESSES_PER_SLICE + link);
}

/** This machine's own address in all networks of all servers: the first one of the first slice. */
export const HOST_ADDRESS = programAddress(0, 0);

/** All addresses of a slice. */
export function sliceNetwork(slice: number): string {
  return `${programAddress(slice, 0)}/21`;
}

function formatAddress(number: number): string {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.');
}

export function sliceName(index: number): string {
  return index.toString(16).padStart(2, '0');
}

/**
 * Takes the claims of servers that are no more, so that this process alone takes away what they left. Until
 * {@link settle} nobody gets such a slice.
 * @param folder Root's alone, and empty after a boot (`/run/berth`).
 */
export function takeAbandonedSlices(folder: string): { readonly index: number; settle(): void }[] {
  return readClaims(folder).flatMap(({ index, file, isHeld }) => {
    if (isHeld) return [];
    const taken = `${pathOf(folder, index)}.${process.pid}`;
    try {
      renameSync(join(folder, file), taken);
    } catch {
      // Another server was faster.
      return [];
    }
    return [{ index, settle: () => rmSync(taken, { force: true }) }];
  });
}

/**
 * Takes a slice that nobody has.
 * @param start Where the search begins: servers that begin at different places rarely meet.
 * @throws Error when all are taken.
 */
export function takeSlice(folder: string, start: number): NetworkSlice {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const startTicks = readProcess(process.pid)?.startTicks ?? 0;
  const known = new Set(readClaims(folder).map(({ index }) => index));
  for (let step = 0; step < SLICE_COUNT; step++) {
    const index = (start + step) % SLICE_COUNT;
    if (known.has(index)) continue;
    try {
      // The kernel gives the name to one of all servers that want it.
      writeFileSync(pathOf(folder, index), JSON.stringify({ pid: process.pid, startTicks }), {
        flag: 'wx',
        mode: 0o600,
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    return { index, name: sliceName(index), release: () => rmSync(pathOf(folder, index), { force: true }) };
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

/** A file that is being written counts as held: its server is there. */
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
