import type { MessagePort } from '../workers/message-port.ts';

/** Creates both ends of a channel within the process. Messages are handed over as they are, in a later turn of the event loop. */
export function createLocalPorts<ToWorker, FromWorker>(): {
  readonly core: MessagePort<FromWorker, ToWorker>;
  readonly worker: MessagePort<ToWorker, FromWorker>;
} {
  let isClosed = false;
  const closeHandlers: (() => void)[] = [];
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    for (const handler of closeHandlers) handler();
  };
  const lane = <Message>() => {
    let handler: ((message: Message) => void) | undefined;
    let early: Message[] = [];
    return {
      post(message: Message) {
        queueMicrotask(() => {
          if (isClosed) return;
          if (handler) handler(message);
          else early.push(message);
        });
      },
      onMessage(given: (message: Message) => void) {
        handler = given;
        for (const message of early) given(message);
        early = [];
      },
    };
  };
  const toCore = lane<FromWorker>();
  const toWorker = lane<ToWorker>();
  const onClose = (handler: () => void) => {
    closeHandlers.push(handler);
    if (isClosed) handler();
  };
  return {
    core: { post: toWorker.post, onMessage: toCore.onMessage, onClose, close },
    worker: { post: toCore.post, onMessage: toWorker.onMessage, onClose, close },
  };
}
