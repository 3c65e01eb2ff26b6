import { stripVTControlCharacters } from 'node:util';
import type { BuildEvent } from '@berth/builder/image';
import { createLineSplitter } from '@berth/runtime';

/** A message of the engine's build stream. Source: Docker Engine API 1.41, ImageBuild; moby pkg/jsonmessage. */
export interface BuildMessage {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly progress?: string;
  readonly error?: string;
  readonly errorDetail?: { readonly code?: number; readonly message?: string };
  readonly aux?: { readonly ID?: string } | unknown;
}

const STEP = /^Step (\d+)\/(\d+) ?: (.*)$/i;
const IMAGE = /^ ?-+> ([0-9a-f]{12,64})$/;
const CONTAINER = /^ ---> Running in ([0-9a-f]{12,64})$/;
/** Messages that aren't useful to people. Unused build arguments are the operator's, and not every Dockerfile uses them. */
const NOISE = [
  /^(?:Removing intermediate container| ---> Removed intermediate container) [0-9a-f]{12,64}$/,
  /^Successfully (built|tagged) /,
  /^\[Warning\] One or more build-args .* were not consumed$/,
];
/**
 * Creates a reader that turns the engine's messages into events. The output of a step is in the same stream as the engine's messages, so a
 * program can forge events: no event may cause anything that its tenant isn't allowed to do.
 */
export function createBuildReader(): { push(message: BuildMessage): BuildEvent[]; flush(): BuildEvent[] } {
  const splitter = createLineSplitter();
  let done: string | undefined;

  const readLine = (line: string): BuildEvent[] => {
    const [, number, count, instruction] = STEP.exec(line) ?? [];
    if (instruction !== undefined) {
      return [{ kind: 'step', step: { number: Number(number), count: Number(count), instruction } }];
    }
    const container = CONTAINER.exec(line)?.[1];
    if (container !== undefined) return [{ kind: 'container', id: container }];
    const image = IMAGE.exec(line)?.[1];
    if (image !== undefined) return [{ kind: 'image', id: image }];
    if (line === ' ---> Using cache' || line === '--> Using cache') return [{ kind: 'cached' }];
    if (line === '' || NOISE.some((pattern) => pattern.test(line))) return [];
    return [{ kind: 'output', line }];
  };

  return {
    push(message) {
      if (message.error !== undefined || message.errorDetail !== undefined) {
        const text = message.errorDetail?.message ?? message.error ?? '';
        return [
          ...flushLines(),
          { kind: 'error', message: text.trim(), exitCode: message.errorDetail?.code || undefined },
        ];
      }
      const { aux } = message;
      if (typeof aux === 'object' && aux !== null && 'ID' in aux && typeof aux.ID === 'string') {
        done = aux.ID;
        return [];
      }
      // Progress within a layer is skipped, so that fetching an image logs a few lines per layer.
      if (message.status !== undefined) {
        if (message.progress || /^(Waiting|Verifying|Downloading|Extracting|Pulling fs)/.test(message.status))
          return [];
        return [{ kind: 'output', line: [message.id, message.status].filter(Boolean).join(': ') }];
      }
      if (message.stream === undefined) return [];
      // The engine colors the stderr output of a step.
      return splitter.push(Buffer.from(stripVTControlCharacters(message.stream))).flatMap(readLine);
    },
    flush: () => [...flushLines(), ...(done === undefined ? [] : [{ kind: 'done' as const, id: done }])],
  };

  function flushLines(): BuildEvent[] {
    return splitter.flush().flatMap(readLine);
  }
}
