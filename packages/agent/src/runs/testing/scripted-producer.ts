import type { Frame } from '@berth/contract/agent';
import type { ProducerContext, StartRun } from '../run-engine.ts';

/** A producer that a test moves step by step; it ends at its signal as producers do. */
export interface ScriptedProducer {
  readonly produce: StartRun['produce'];
  /** What the engine gave it; resolves when it was begun. */
  readonly context: Promise<ProducerContext>;
  yield(...frames: readonly Frame[]): void;
  text(...texts: readonly string[]): void;
  end(): void;
  fail(error: unknown): void;
}

export function createScriptedProducer(): ScriptedProducer {
  const queue: Frame[] = [];
  const begun = Promise.withResolvers<ProducerContext>();
  let wake = Promise.withResolvers<void>();
  let state: 'open' | 'ended' | { readonly error: unknown } = 'open';
  const change = () => {
    wake.resolve();
    wake = Promise.withResolvers<void>();
  };
  const push = (...frames: readonly Frame[]) => {
    queue.push(...frames);
    change();
  };
  return {
    context: begun.promise,
    async produce(context) {
      begun.resolve(context);
      context.signal.addEventListener('abort', change);
      for (;;) {
        const frame = queue.shift();
        if (frame) await context.emit(frame);
        else if (context.signal.aborted || state === 'ended') return;
        else if (typeof state === 'object') throw state.error;
        else await wake.promise;
      }
    },
    yield: push,
    text: (...texts) => push(...texts.map((text): Frame => ({ type: 'text', text }))),
    end() {
      state = 'ended';
      change();
    },
    fail(error) {
      state = { error };
      change();
    },
  };
}
