import { encodePacket, FLUSH, MAX_PACKET_BYTES } from '../protocol/packets.ts';

/** The result of one command of a push: `undefined` when the reference changed, or the reason why not. */
export interface PushResult {
  readonly ref: string;
  readonly problem: string | undefined;
}

/** Encodes a response to a push. */
export interface PushReporter {
  /** A line that the client prints after `remote: `. Empty for a client that takes no progress. */
  progress(line: string): Buffer;
  /** A packet that the client ignores, against timeouts of proxies. */
  keepAlive(): Buffer;
  /** The end of the response. @param unpackProblem why the objects weren't taken */
  report(results: readonly PushResult[], unpackProblem?: string): Buffer;
}

const [RESULT, PROGRESS] = [1, 2];
/** Characters of a line that are sent; a build can print longer ones. */
const MAX_LINE = 4_000;

/** Source: gitprotocol-pack(5), "Report Status"; gitprotocol-capabilities(5), "side-band-64k". */
export function createPushReporter(hasSideband: boolean): PushReporter {
  const inBand = (band: number, bytes: Uint8Array) => encodePacket(Buffer.concat([Buffer.from([band]), bytes]));
  return {
    progress: (line) =>
      hasSideband
        ? inBand(PROGRESS as number, Buffer.from(`${printable(line).slice(0, MAX_LINE)}\n`))
        : Buffer.alloc(0),
    keepAlive: () => (hasSideband ? inBand(PROGRESS as number, Buffer.alloc(0)) : Buffer.alloc(0)),
    report(results, unpackProblem) {
      const lines = [
        `unpack ${unpackProblem === undefined ? 'ok' : singleLine(unpackProblem)}\n`,
        ...results.map(({ ref, problem }) =>
          problem === undefined ? `ok ${ref}\n` : `ng ${ref} ${singleLine(problem)}\n`,
        ),
      ];
      const status = Buffer.concat([...lines.map(encodePacket), Buffer.from(FLUSH)]);
      if (!hasSideband) return status;
      const pieces: Buffer[] = [];
      for (let at = 0; at < status.length; at += MAX_PACKET_BYTES - 1) {
        pieces.push(inBand(RESULT as number, status.subarray(at, at + MAX_PACKET_BYTES - 1)));
      }
      return Buffer.concat([...pieces, Buffer.from(FLUSH)]);
    },
  };
}

/** Output of a build must not control the terminal of the person who pushes. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/\u001b\[[0-9;?]*[ -/]*[@-~]|[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, '');
}

function singleLine(text: string): string {
  return printable(text.replaceAll(/\s+/g, ' ')).slice(0, 500);
}
