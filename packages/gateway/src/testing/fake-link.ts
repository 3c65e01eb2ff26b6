import type { Clock } from '@berth/kit';
import type { MessagePort } from '../workers/message-port.ts';

/** A fake channel between two processes. */
export interface FakeLink<ToFar, ToNear> {
  readonly near: MessagePort<ToNear, ToFar>;
  readonly far: MessagePort<ToFar, ToNear>;
  /** Kills the far process. It receives nothing more; its earlier messages still arrive, then the near end closes. */
  kill(): void;
  /** Kills the near process, as {@link kill} does with the far one. */
  killNear(): void;
  /** Makes the far process hang. Messages to it are not delivered. */
  hang(): void;
}

/** Creates a fake channel. @param delayMs returns the delay of the next message. Messages of one direction stay in order. */
export function createFakeLink<ToFar, ToNear>(clock: Clock, delayMs: () => number): FakeLink<ToFar, ToNear> {
  const toFar = createLane<ToFar>(clock, delayMs);
  const toNear = createLane<ToNear>(clock, delayMs);
  const closeBoth = () => {
    toFar.end();
    toNear.end();
  };
  return {
    near: { post: toFar.post, onMessage: toNear.onMessage, onClose: toNear.onEnd, close: closeBoth },
    far: { post: toNear.post, onMessage: toFar.onMessage, onClose: toFar.onEnd, close: closeBoth },
    kill() {
      toFar.stop();
      toNear.end();
    },
    killNear() {
      toNear.stop();
      toFar.end();
    },
    hang: toFar.stop,
  };
}

/** Creates one direction of a channel. */
function createLane<Message>(clock: Clock, delayMs: () => number) {
  let handler: (message: Message) => void = () => {};
  let onEnded = () => {};
  let state: 'open' | 'ending' | 'ended' | 'stopped' = 'open';
  let lastAtMs = 0;
  const later = (callback: () => void) => {
    lastAtMs = Math.max(lastAtMs, clock.monotonicMs() + delayMs());
    clock.setTimer(lastAtMs - clock.monotonicMs(), () => {
      if (state !== 'stopped') callback();
    });
  };
  return {
    post(message: Message) {
      if (state !== 'open') return;
      const copy = structuredClone(message);
      later(() => handler(copy));
    },
    onMessage(given: (message: Message) => void) {
      handler = given;
    },
    onEnd(given: () => void) {
      onEnded = given;
    },
    end() {
      if (state !== 'open') return;
      state = 'ending';
      later(() => {
        state = 'ended';
        onEnded();
      });
    },
    stop() {
      state = 'stopped';
    },
  };
}
