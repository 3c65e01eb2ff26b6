import { createOutbound, type Outbound, type OutboundOptions, safeLine, ToolError } from '@berth/agent-core';
import { type Clock, createLimiter } from '@berth/kit';
import type { CdpConnection, CdpEvent } from './cdp-connection.ts';
import { locate, ONE_TAB, prepareText, READ_PAGE } from './page-scripts.ts';

/** A page as a model reads it. */
export interface BrowserPage {
  readonly title: string;
  readonly url: string;
  /** The visible text, with a number in brackets for each usable element. */
  readonly text: string;
}

/** A tab of a browser, for one chat. Its methods run one after the other. They throw ToolError with the reason. */
export interface BrowserSession {
  open(url: string): Promise<BrowserPage>;
  read(): Promise<BrowserPage>;
  click(ref: number): Promise<BrowserPage>;
  type(ref: number, text: string, isSubmitted: boolean): Promise<BrowserPage>;
  /** Returns a PNG of what is visible. */
  screenshot(): Promise<Buffer>;
  close(): void;
  /** Resolves when the session is closed, also by the browser's end. */
  readonly closed: Promise<void>;
}

export interface OpenSessionOptions extends OutboundOptions {
  readonly connection: CdpConnection;
  readonly clock: Clock;
  /** Asks for the pages; the guarded client by default. */
  readonly outbound?: Outbound;
}

const REQUEST = { timeoutMs: 20_000, maxBytes: 10_000_000, maxRedirects: 0, isHttpAllowed: true };
/** A page is ready when it has asked for nothing for this long, and at the latest after the second number. */
const QUIET_MS = 300;
const MAX_WAIT_MS = 10_000;
/** Headers of an answer that say how it was sent; the body is passed on decoded and whole. */
const DROPPED = new Set(['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']);
const GONE = 'No such element. Read the page again.';

interface PausedRequest {
  readonly requestId: string;
  readonly request: {
    readonly url: string;
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly postDataEntries?: readonly { readonly bytes?: string }[];
  };
  readonly resourceType: string;
  readonly frameId: string;
}

/**
 * Opens a tab. The browser makes no requests itself: each request of a page is answered here, with the guarded client. A page can
 * therefore reach the public web alone, also where the browser runs on a machine that reaches more.
 */
export async function openSession({ connection, clock, ...options }: OpenSessionOptions): Promise<BrowserSession> {
  const outbound = options.outbound ?? createOutbound(options, { clock });
  const turns = createLimiter({ concurrency: 1 });
  const ended = new AbortController();
  void connection.closed.then(() => {
    ended.abort();
    outbound.close();
  });
  const { browserContextId } = await connection.send('Target.createBrowserContext', { disposeOnDetach: true });
  const deny = { behavior: 'deny', browserContextId };
  await connection.send('Browser.setDownloadBehavior', deny);
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true });
  const send = (method: string, params: object = {}) => connection.send(method, params, String(sessionId));

  /** Sessions whose requests are answered: of the page, and of its frames and workers. */
  const sessions = new Set<string>();
  /** Requests that are being answered, and whether the page is loading. */
  let pending = 0;
  let isLoading = false;
  let onChange = () => {};
  /** Why the page itself could not be had, and what it said in a dialog. */
  let failure: string | undefined;
  let dialogs: string[] = [];
  const answer = async ({ requestId, request, resourceType, frameId }: PausedRequest, from: string) => {
    const reply = (method: string, params: object) => connection.send(method, { requestId, ...params }, from);
    const url = URL.parse(request.url);
    if (!url || !['http:', 'https:'].includes(url.protocol)) return await reply('Fetch.continueRequest', {});
    const body = request.postDataEntries?.map(({ bytes = '' }) => Buffer.from(bytes, 'base64'));
    try {
      const { method, headers } = request;
      const got = await outbound.fetch({
        ...REQUEST,
        ...{ url: url.href.replace(/#.*$/, ''), method, headers },
        ...(body && { body: Buffer.concat(body) }),
        signal: ended.signal,
      });
      if (got.isCut) throw new Error(`${url.host} answered more than ${REQUEST.maxBytes} bytes.`);
      const responseHeaders = Object.entries(got.headers).flatMap(([name, value]) =>
        DROPPED.has(name) ? [] : [value ?? []].flat().map((one) => ({ name, value: one })),
      );
      const [responseCode, content] = [got.status, got.body.toString('base64')];
      return await reply('Fetch.fulfillRequest', { responseCode, responseHeaders, body: content });
    } catch (error) {
      if (resourceType === 'Document' && frameId === targetId) failure = (error as Error).message;
      return await reply('Fetch.failRequest', { errorReason: 'BlockedByClient' });
    }
  };
  /** Answers the requests of a page, or of a frame or worker that has a process of its own, and only then lets it run. */
  const watch = async (one: string) => {
    await connection.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] }, one);
    const attach = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
    await connection.send('Target.setAutoAttach', attach, one).catch(() => {});
    sessions.add(one);
    await connection.send('Runtime.runIfWaitingForDebugger', {}, one).catch(() => {});
  };
  connection.onEvent(({ method, params, sessionId: from = '' }: CdpEvent) => {
    if (method === 'Target.attachedToTarget' && sessions.has(from)) {
      // What can't be watched never runs.
      void watch(String(params['sessionId'])).catch(() => {});
    } else if (method === 'Fetch.requestPaused') {
      pending++;
      onChange();
      // The page may be gone by then.
      void answer(params as unknown as PausedRequest, from)
        .catch(() => {})
        .finally(() => {
          pending--;
          onChange();
        });
    } else if (from !== sessionId) {
      return;
    } else if (method === 'Page.frameStartedLoading' || method === 'Page.frameStoppedLoading') {
      if (params['frameId'] === targetId) isLoading = method === 'Page.frameStartedLoading';
      onChange();
    } else if (method === 'Page.javascriptDialogOpening') {
      dialogs.push(safeLine(params['message'], 300));
      void send('Page.handleJavaScriptDialog', { accept: false }).catch(() => {});
    }
  });
  await send('Page.enable');
  await watch(String(sessionId));
  await send('Page.addScriptToEvaluateOnNewDocument', { source: ONE_TAB });

  /** Waits until the page is quiet. */
  const settle = () =>
    new Promise<void>((resolve) => {
      const done = () => {
        onChange = () => {};
        quiet.cancel();
        late.cancel();
        resolve();
      };
      const late = clock.setTimer(MAX_WAIT_MS, done);
      let quiet = clock.setTimer(QUIET_MS, () => isLoading || pending > 0 || done());
      onChange = () => {
        quiet.cancel();
        quiet = clock.setTimer(QUIET_MS, () => isLoading || pending > 0 || done());
      };
      void connection.closed.then(done);
    });
  const evaluate = async (expression: string): Promise<unknown> => {
    const world = await send('Page.createIsolatedWorld', { frameId: targetId, worldName: 'berth' });
    const contextId = world['executionContextId'];
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, contextId, returnByValue: true });
    if (exceptionDetails) throw new ToolError("The page can't be read. Open it again.");
    return (result as { readonly value?: unknown }).value;
  };
  const read = async (): Promise<BrowserPage> => {
    const { title, url, text } = (await evaluate(READ_PAGE)) as BrowserPage;
    const said = dialogs.map((message) => `The page said: ${message}\n`).join('');
    dialogs = [];
    return { title, url, text: said + text };
  };
  /** Runs an act alone, and reads the page after it. */
  const act = (work: () => Promise<void>) =>
    turns.run(async () => {
      try {
        await work();
        await settle();
        return await read();
      } catch (error) {
        if (error instanceof ToolError) throw error;
        throw new ToolError(`The browser failed: ${(error as Error).message}`);
      }
    });
  return {
    open: (url) =>
      act(async () => {
        const address = URL.parse(url);
        if (!address || !['http:', 'https:'].includes(address.protocol)) {
          throw new ToolError(`${safeLine(url, 200)} is not an http:// or https:// URL.`);
        }
        failure = undefined;
        const { errorText } = await send('Page.navigate', { url: address.href });
        if (errorText !== undefined) throw new ToolError(`The page can't be opened: ${failure ?? String(errorText)}`);
      }),
    read: () => act(async () => {}),
    click: (ref) =>
      act(async () => {
        const point = await evaluate(locate(ref));
        if (!point) throw new ToolError(GONE);
        for (const type of ['mousePressed', 'mouseReleased']) {
          await send('Input.dispatchMouseEvent', { ...point, type, button: 'left', clickCount: 1 });
        }
      }),
    type: (ref, text, isSubmitted) =>
      act(async () => {
        const kind = await evaluate(prepareText(ref, text));
        if (kind === null || kind === undefined) throw new ToolError(GONE);
        if (kind === 'none') throw new ToolError(`[${ref}] doesn't accept this text.`);
        if (kind === 'typed') await send('Input.insertText', { text });
        if (!isSubmitted) return;
        const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r' };
        for (const type of ['keyDown', 'keyUp']) await send('Input.dispatchKeyEvent', { ...enter, type });
      }),
    async screenshot() {
      const { data } = await turns.run(() => send('Page.captureScreenshot', { format: 'png' }));
      return Buffer.from(String(data), 'base64');
    },
    close: connection.close,
    closed: connection.closed,
  };
}
