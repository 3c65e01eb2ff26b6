/** An event of the Chrome DevTools Protocol. */
export interface CdpEvent {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
}

/** A connection to a browser. */
export interface CdpConnection {
  /** Calls a method. @throws Error with the browser's reason, or when the connection is closed. */
  send(method: string, params?: object, sessionId?: string): Promise<Readonly<Record<string, unknown>>>;
  /** Calls `listener` for each event; set once. */
  onEvent(listener: (event: CdpEvent) => void): void;
  /** Closes the connection and ends what it belongs to. Idempotent. */
  close(): void;
  /** Resolves when the connection is closed, also by the browser. */
  readonly closed: Promise<void>;
}

/** Carries messages as text. */
export interface CdpTransport {
  send(message: string): void;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly sessionId?: string;
}

/** Creates a connection over a transport, with the functions that the transport calls. Source: chromedevtools.github.io/devtools-protocol. */
export function createCdpConnection(transport: CdpTransport) {
  const closing = Promise.withResolvers<void>();
  const waiting = new Map<number, PromiseWithResolvers<Readonly<Record<string, unknown>>>>();
  let listener: (event: CdpEvent) => void = () => {};
  let count = 0;
  let isClosed = false;
  const closed = () => {
    isClosed = true;
    for (const call of waiting.values()) call.reject(new Error('The browser has ended.'));
    waiting.clear();
    closing.resolve();
  };
  const connection: CdpConnection = {
    async send(method, params = {}, sessionId) {
      if (isClosed) throw new Error('The browser has ended.');
      const id = ++count;
      const call = Promise.withResolvers<Readonly<Record<string, unknown>>>();
      waiting.set(id, call);
      transport.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
      return await call.promise;
    },
    onEvent(one) {
      listener = one;
    },
    close() {
      if (isClosed) return;
      closed();
      transport.close();
    },
    closed: closing.promise,
  };
  return {
    connection,
    closed,
    receive(text: string) {
      const { id, result = {}, error, method, params = {}, sessionId } = JSON.parse(text) as Message;
      const call = id === undefined ? undefined : waiting.get(id);
      if (id !== undefined) waiting.delete(id);
      if (error) call?.reject(new Error(error.message));
      else call?.resolve(result);
      if (method !== undefined) listener({ method, params, ...(sessionId !== undefined && { sessionId }) });
    },
  };
}
