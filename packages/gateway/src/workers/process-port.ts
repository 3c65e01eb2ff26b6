import type { MessagePort } from './message-port.ts';

/** The IPC channel of a process: a child process, or `process` itself in a child. Opened with `serialization: 'advanced'`. */
export interface IpcProcess {
  readonly connected: boolean;
  send?(message: object, callback: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  once(event: 'disconnect', listener: () => void): unknown;
  off(event: 'message', listener: (message: unknown) => void): unknown;
}

/** A message with the name of its port, because several ports share one IPC channel. */
interface Envelope {
  readonly channel: string;
  readonly message?: unknown;
  readonly isClosed?: boolean;
}

/**
 * Opens a port to another process, one of several over the same IPC channel. Both sides open it under the same name, and before any
 * message is read: in the turn of the event loop in which the child is forked, or in which it begins.
 */
export function createProcessPort<In, Out>(peer: IpcProcess, channel: string): MessagePort<In, Out> {
  let handler: ((message: In) => void) | undefined;
  let early: In[] = [];
  let isClosed = false;
  let onClosed: (() => void) | undefined;

  const send = (envelope: Envelope) => {
    // Send errors are ignored: `disconnect` reports a peer that is gone, and messages in transit are lost.
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
