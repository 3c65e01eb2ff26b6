import type { Client, UploadProgress } from '@berth/client';
import type { DeployEvent } from '@berth/contract';
import { createStore } from '@berth/ui/store';
import { readStored } from '../../../state/read-stored.ts';
import { addLastLines } from './add-last-lines.ts';
import { deployStages, type Stage } from './deploy-stages.ts';

/**
 * Phase of a deploy. `sending`: the upload is in progress and there is no deploy ID yet; `running`; `done` and
 * `failed`: the last event arrived; `lost`: the connection failed, the deploy may continue and can be followed again;
 * `refused`: the server rejected it.
 */
export type DeployPhase = 'sending' | 'running' | 'done' | 'failed' | 'lost' | 'refused';

/** State of a deploy. A new object at each change, except that `lines` grows in place. */
export interface DeployState {
  /** Name of the deployment. */
  readonly name: string;
  readonly phase: DeployPhase;
  readonly deployId: string | undefined;
  readonly sent: UploadProgress | undefined;
  readonly stages: readonly Stage[];
  readonly lines: readonly string[];
  readonly lineCount: number;
  /** Set in phase `done`. */
  readonly url: string | undefined;
  /** Set in phase `failed`. */
  readonly failure: Pick<DeployEvent, 'code' | 'message'> | undefined;
  /** Set in phases `lost` and `refused`. */
  readonly error: unknown;
  readonly isReconnecting: boolean;
}

/** Opens the event stream of a deploy. */
export type OpenEvents = (options: {
  readonly signal: AbortSignal;
  readonly onReconnect: () => void;
  readonly onProgress: (sent: UploadProgress) => void;
}) => AsyncIterable<DeployEvent>;

/** Client calls needed to follow and cancel a deploy. */
export interface DeployRunClient extends Pick<Client, 'post'> {
  followDeploy(
    deployId: string,
    options: { readonly after: number; readonly signal: AbortSignal; readonly onReconnect: () => void },
  ): AsyncIterable<DeployEvent>;
}

/** The deploy that this tab shows. There is one at a time, and it survives a page reload. */
export interface DeployRun {
  readonly state: DeployState | undefined;
  subscribe(listener: () => void): () => void;
  /** Starts a deploy and shows it. A deploy shown before continues on the server. */
  begin(name: string, open: OpenEvents): void;
  /** Shows a deploy that was started anywhere, from its first event. */
  follow(name: string, deployId: string): void;
  /** Resumes a `lost` deploy after its last event, or after a page reload the one that the tab showed. */
  resume(): void;
  /**
   * Cancels the deploy. During the upload, nothing is deployed; later, the server cancels it and reports so in its
   * events.
   */
  cancel(): Promise<void>;
  dismiss(): void;
}

/** Dependencies of {@link createDeployRun}. */
export interface DeployRunOptions {
  readonly client: DeployRunClient;
  /** Session storage of the tab. */
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
}

const STORED_AS = 'berth.deploy';

/** Returns a run without a deploy; call `resume` to restore the one before a page reload. */
export function createDeployRun({ client, storage }: DeployRunOptions): DeployRun {
  const store = createStore<DeployState | undefined>(undefined);
  let events: DeployEvent[] = [];
  let lines: string[] = [];
  let stop = new AbortController();
  const change = (changes: Partial<DeployState>) => store.get() && store.patch(changes);

  const remember = (name: string | undefined, deployId: string) =>
    storage.setItem(STORED_AS, JSON.stringify({ name, deployId }));

  function remembered(): { readonly name: string; readonly deployId: string } | undefined {
    const { name, deployId } = (readStored(storage, STORED_AS) ?? {}) as Record<string, unknown>;
    return typeof name === 'string' && typeof deployId === 'string' ? { name, deployId } : undefined;
  }

  function take(event: DeployEvent): void {
    events.push(event);
    for (const line of event.log ? event.message.split('\n') : []) lines.push(line);
    if (store.get()?.deployId !== event.deploy_id) remember(store.get()?.name, event.deploy_id);
    if (event.status === 'ERROR') addLastLines(lines, event.logs ?? []);
    change({
      phase: event.status === 'DONE' ? 'done' : event.status === 'ERROR' ? 'failed' : 'running',
      deployId: event.deploy_id,
      stages: deployStages(events),
      lineCount: lines.length,
      url: event.url,
      failure: event.status === 'ERROR' ? event : undefined,
      isReconnecting: false,
    });
  }

  async function follow(open: OpenEvents): Promise<void> {
    stop = new AbortController();
    const { signal } = stop;
    const options = {
      signal,
      onReconnect: () => change({ isReconnecting: true }),
      onProgress: (sent: UploadProgress) => change({ sent }),
    };
    try {
      for await (const event of open(options)) {
        if (signal.aborted) return;
        take(event);
      }
    } catch (error) {
      if (!signal.aborted) change({ phase: store.get()?.deployId === undefined ? 'refused' : 'lost', error });
    }
  }

  function show(name: string, deployId: string | undefined): void {
    stop.abort();
    events = [];
    lines = [];
    const nothing = { sent: undefined, url: undefined, failure: undefined, error: undefined, isReconnecting: false };
    const phase = deployId === undefined ? 'sending' : 'running';
    store.set({ name, phase, deployId, stages: [], lines, lineCount: 0, ...nothing });
  }

  const dismiss = () => {
    stop.abort();
    storage.removeItem(STORED_AS);
    store.set(undefined);
  };

  return {
    get state() {
      return store.get();
    },
    subscribe: store.subscribe,
    begin(name, open) {
      show(name, undefined);
      void follow(open);
    },
    follow(name, deployId) {
      const shown = store.get();
      if (shown?.deployId === deployId && shown.phase !== 'lost') return;
      show(name, deployId);
      remember(name, deployId);
      void follow((options) => client.followDeploy(deployId, { ...options, after: 0 }));
    },
    resume() {
      const before = store.get() ? undefined : remembered();
      if (before) show(before.name, before.deployId);
      const deployId = store.get()?.deployId;
      if (deployId === undefined || (store.get()?.phase !== 'lost' && !before)) return;
      change({ phase: 'running', error: undefined });
      const after = events.reduce((seq, event) => Math.max(seq, event.seq ?? 0), 0);
      void follow((options) => client.followDeploy(deployId, { ...options, after }));
    },
    async cancel() {
      const id = store.get()?.deployId;
      if (id === undefined) dismiss();
      else await client.post('/v1/deploys/{deploy_id}/cancel', { params: { path: { deploy_id: id } } });
    },
    dismiss,
  };
}
