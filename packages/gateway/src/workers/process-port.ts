import type { MessagePort } from './message-port.ts';

/** A process at the other end of an IPC channel: a child, or, in a child, `process` itself. Opened with `serialization: 'advanced'`. */
export interface IpcProcess {
  readonly connected: boolean;
  send?(message: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

/** How messages of several ports share one process. */
interface Envelope {
  readonly channel: string;
  readonly message?: unknown;
  readonly isClosed?: boolean;
}

/**
 * A port to another process, one of several over the same IPC channel; both sides open it under the same name, and before anything is
 * read: in the turn of the event loop in which the child is forked, or begins.
 */
export function createProcessPort<In, Out>(peer: IpcProcess, channel: string): MessagePort<In, Out> {
  let handler: ((message: In) => void) | undefined;
  let early: In[] = [];
  let isClosed = false;
  let onClosed: (() => void) | undefined;

  const send = (envelope: Envelope) => {
    // Whoever is gone is noticed at the disconnect; what was under way then is lost.
    if (peer.connected) peer.send?.(envelope, () => {});
  };
  const end = () => {
    if (isClosed) return;
    isClosed = true;
    peer.off('message', onMessage);
    onClosed?.();
  };
  const onMessage = (received: unknown) => {
    if (!isEnvelope(received) || received.channel !== channel) return;
    if (received.isClosed === true) end();
    else if (handler === undefined) early.push(received.message as In);
    else handler(received.message as In);
  };
  peer.on('message', onMessage);
  peer.once('disconnect', end);
  if (!peer.connected) queueMicrotask(end);

  return {
    post(message) {
      if (!isClosed) send({ channel, message });
    },
    onMessage(given) {
      handler = given;
      for (const message of early) given(message);
      early = [];
    },
    onClose(given) {
      onClosed = given;
      if (isClosed) given();
    },
    close() {
      if (isClosed) return;
      send({ channel, isClosed: true });
      end();
    },
  };
}

function isEnvelope(value: unknown): value is Envelope {
  return typeof value === 'object' && value !== null && 'channel' in value;
}
