import { createError } from '@berth/contract';
import { type PacketReader, textOf } from '../protocol/packets.ts';

/** A change of a reference that a push asks for. */
export interface PushCommand {
  /** Full hex ids; undefined for a reference that is created or deleted. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Full name of the reference, such as `refs/heads/main`. */
  readonly ref: string;
}

/** The beginning of a push. */
export interface Push {
  /** Empty for the empty request that clients send to test their credentials. */
  readonly commands: readonly PushCommand[];
  readonly hasSideband: boolean;
  /** True when the client doesn't have the whole history. */
  readonly isShallow: boolean;
}

/** Maximum references of a push; only one of them can be deployed. */
const MAX_COMMANDS = 1_000;
const COMMAND = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^\0\n]{1,1000})$/;

/**
 * Reads the commands of a push, up to the pack. Source: gitprotocol-pack(5), "Reference Update Request and Packfile Transfer".
 * @throws `bad_request`
 */
export async function readPush(reader: PacketReader): Promise<Push> {
  const commands: PushCommand[] = [];
  let capabilities: readonly string[] = [];
  let isShallow = false;
  for (let packet = await reader.next(); packet !== 'flush'; packet = await reader.next()) {
    if (!Buffer.isBuffer(packet)) throw createError('bad_request', 'The push ended early.');
    const [line = '', options] = textOf(packet).split('\0');
    if (options !== undefined) capabilities = options.trim().split(' ');
    if (line.startsWith('shallow ')) {
      isShallow = true;
      continue;
    }
    const [, before = '', after = '', ref = ''] = COMMAND.exec(line) ?? [];
    if (ref === '') throw createError('bad_request', 'The push has a command that the server does not know.');
    commands.push({ before: idOf(before), after: idOf(after), ref });
    if (commands.length > MAX_COMMANDS) {
      throw createError('bad_request', `A push can have at most ${MAX_COMMANDS} references. Push one branch.`);
    }
  }
  return { commands, hasSideband: capabilities.includes('side-band-64k'), isShallow };
}

function idOf(text: string): string | undefined {
  return /^0+$/.test(text) ? undefined : text;
}
