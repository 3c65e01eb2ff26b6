import type { MessagePort } from '../workers/message-port.ts';

/** Two ends of a channel within this process: messages are cloned, and arrive in a later turn of the event loop. */
export function createPortPair<ToFar, ToNear>(): {
  readonly near: MessagePort<ToNear, ToFar>;
  readonly far: MessagePort<ToFar, ToNear>;
} {
  let isClosed = false;
  const onClosed: (() => void)[] = [];
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    setImmediate(() => {
      for (const handler of onClosed) handler();
    });
  };
  const createLane = <Message>() => {
    let handler: ((message: Message) => void) | undefined;
    let early: Message[] = [];
    return {
      post(message: Message) {
        if (isClosed) return;
        const copy = structuredClone(message);
        setImmediate(() => {
          if (handler === undefined) early.push(copy);
          else handler(copy);
        });
      },
      onMessage(given: (message: Message) => void) {
        handler = given;
        for (const message of early) given(message);
        early = [];
      },
    };
  };
  const toFar = createLane<ToFar>();
  const toNear = createLane<ToNear>();
  const onClose = (handler: () => void) => void onClosed.push(handler);
  return {
    near: { post: toFar.post, onMessage: toNear.onMessage, onClose, close },
    far: { post: toNear.post, onMessage: toFar.onMessage, onClose, close },
  };
}
