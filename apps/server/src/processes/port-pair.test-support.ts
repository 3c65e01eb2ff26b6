import { MessageChannel, type MessagePort as ThreadPort } from 'node:worker_threads';
import type { MessagePort } from '@berth/gateway/workers';

/** Two ends of a channel, as between two processes: what crosses it is cloned, and comes later. */
export function createPortPair<Message>(): readonly [MessagePort<Message, Message>, MessagePort<Message, Message>] {
  const { port1, port2 } = new MessageChannel();
  return [wrap(port1), wrap(port2)];
}

function wrap<Message>(port: ThreadPort): MessagePort<Message, Message> {
  return {
    post: (message) => port.postMessage(message),
    onMessage: (handler) => void port.on('message', handler),
    onClose: (handler) => void port.on('close', handler),
    close: () => port.close(),
  };
}
