import { readFileSync } from 'node:fs';

/** Capability → bit, of the capabilities that root needs to run programs as other users. Source: capabilities(7), linux/capability.h. */
const NEEDED = { CAP_CHOWN: 0, CAP_DAC_OVERRIDE: 1, CAP_FOWNER: 3, CAP_KILL: 5, CAP_SETGID: 6, CAP_SETUID: 7 } as const;

/**
 * Returns the names of the needed capabilities that this process lacks, as in containers with `--cap-drop`. Returns none where the
 * system doesn't report capabilities.
 * @param status Text of `/proc/self/status`.
 */
export function lackingCapabilities(status = readStatus()): string[] {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  if (effective === undefined) return [];
  const held = BigInt(`0x${effective}`);
  return Object.entries(NEEDED).flatMap(([name, bit]) => ((held >> BigInt(bit)) & 1n ? [] : [name]));
}

function readStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
