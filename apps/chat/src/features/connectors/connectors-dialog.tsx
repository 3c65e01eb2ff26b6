import type { AgentPaths, BodyOf } from '@berth/client';
import { type ConnectorRow, type GrantScope, inLanguage } from '@berth/contract/agent';
import { Button, Dialog, EmptyState, ErrorNote, Select, Skeleton, Switch } from '@berth/ui';
import { CircleAlert, Plug } from 'lucide-react';
import { useCallback, useEffect, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { ApiError } from '../../api/api.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';
import { GENERAL_ID } from '../workspaces/general.ts';
import { ConnectForm } from './connect-form.tsx';
import { ConnectorTools } from './connector-tools.tsx';

/** A dialog that lists the connectors and lets the person connect, disconnect, and turn each on or off. */
export function ConnectorsDialog({ onClose }: { onClose(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { value: rows, error, reload, change } = useLoaded(useCallback(() => api.get('/connectors'), [api]));
  return (
    <Dialog title={t('connect.title')} isOpen onClose={onClose} isWide>
      {error !== undefined && <ErrorNote error={error} />}
      {rows === undefined && error === undefined && <Skeleton rows={3} />}
      {rows?.length === 0 && <EmptyState icon={Plug} title={t('connect.none')} />}
      <ul className="flex flex-col divide-y divide-line">
        {rows?.map((row) => (
          <Row key={row.name} row={row} onChange={(work) => void change(work)} onConnected={() => void reload()} />
        ))}
      </ul>
    </Dialog>
  );
}

interface RowProps {
  readonly row: ConnectorRow;
  onChange(work: Promise<unknown>): void;
  onConnected(): void;
}

function Row({ row, onChange, onConnected }: RowProps) {
  const { t, language } = useChatTexts();
  const { api, teamId } = useAgent();
  const title = inLanguage(row.title, language);
  const [isToolsOpen, setToolsOpen] = useState(false);
  const path = { name: row.name };
  const isInUse = row.allowed && row.connected;
  const patch = (body: BodyOf<AgentPaths, 'patch', '/connectors/{name}'>) =>
    onChange(api.patch('/connectors/{name}', { params: { path }, body }));
  /** Scope of the connection that the person may end; null if there is none. */
  const ownScope = row.auth === 'none' || (row.connected_as === 'workspace' && !row.admin) ? null : row.connected_as;
  const disconnect = (scope: GrantScope) =>
    onChange(api.delete('/connectors/{name}', { params: { path, query: { scope } } }));
  return (
    <li className="flex flex-col gap-2 py-4">
      <div className="flex items-start gap-3">
        <ConnectorLogo icon={row.icon} title={title} />
        <div className="min-w-0 flex-1">
          <strong dir="auto">{title}</strong>
          <p dir="auto" className="from-start text-ink-soft">
            {inLanguage(row.description, language)}
          </p>
          {row.url !== undefined && (
            <a
              className="break-all text-accent underline underline-offset-2"
              dir="ltr"
              href={row.url}
              target="_blank"
              rel="noopener noreferrer"
            >
              {hostOf(row)}
            </a>
          )}
        </div>
      </div>
      {row.kind === 'mcp' && isInUse ? <ServerState row={row} onStale={onConnected} /> : <p>{t(stateOf(row))}</p>}
      {row.allowed && !row.connected && <ConnectRow row={row} onConnected={onConnected} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        {isInUse && <Switch label={t('connect.use', { title })} isOn={row.on} onChange={(on) => patch({ on })} />}
        {ownScope && <Button onClick={() => disconnect(ownScope)}>{t('connect.disconnect')}</Button>}
      </div>
      {row.admin && teamId !== undefined && (
        <Switch label={t('connect.enable')} isOn={row.enabled} onChange={(enabled) => patch({ enabled })} />
      )}
      {row.admin && teamId === GENERAL_ID && (
        // The admins of General are the organization's admins.
        <Switch label={t('connect.allow')} isOn={row.allowed} onChange={(allowed) => patch({ allowed })} />
      )}
      {isInUse && (
        <details onToggle={({ currentTarget }) => setToolsOpen(currentTarget.open)}>
          <summary className="disclosure cursor-pointer py-1 text-ink-soft hover:text-ink">{t('tools.title')}</summary>
          {isToolsOpen && <ConnectorTools connector={row.name} />}
        </details>
      )}
    </li>
  );
}

/** The state of a connected MCP server, which is asked for its tools. */
function ServerState({ row, onStale }: { readonly row: ConnectorRow; onStale(): void }) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  const { name } = row;
  const check = useCallback(
    () => api.get('/connectors/{name}/tools', { params: { path: { name }, query: { fresh: 'true' } } }),
    [api, name],
  );
  const { value, error, reload } = useLoaded(check);
  // The server has just refused the credential.
  const isStale = error instanceof ApiError && error.status === 409;
  useEffect(() => {
    if (isStale) onStale();
  }, [isStale, onStale]);
  if (error !== undefined) {
    return (
      <div role="status" className="flex flex-wrap items-center gap-2">
        <CircleAlert aria-hidden className="size-4 shrink-0 text-bad" />
        <span className="text-bad">{t('connect.unreachable', { host: hostOf(row) })}</span>
        <Button onClick={() => void reload()}>{t('message.retry')}</Button>
      </div>
    );
  }
  return <p role="status">{t(value === undefined ? 'connect.checking' : stateOf(row))}</p>;
}

/** The connector's icon, else the first letter of its title. */
function ConnectorLogo({ icon, title }: { readonly icon: string | undefined; readonly title: string }) {
  const [isBroken, setBroken] = useState(false);
  const box = 'flex size-9 shrink-0 items-center justify-center rounded-lg border border-line bg-raised';
  if (icon === undefined || isBroken) {
    return (
      <span aria-hidden className={`${box} font-semibold text-ink-soft`}>
        {[...title][0]?.toUpperCase()}
      </span>
    );
  }
  // As an image, an SVG runs no script and loads nothing.
  const src = icon.startsWith('/') ? icon : `data:image/svg+xml,${encodeURIComponent(icon.trim())}`;
  return (
    <span className={box}>
      <img alt="" src={src} className="size-6" onError={() => setBroken(true)} />
    </span>
  );
}

/** Connects a connector for the person or, if the connector and the person's role allow it, for the workspace. */
function ConnectRow({ row, onConnected }: Pick<RowProps, 'row' | 'onConnected'>) {
  const { t } = useChatTexts();
  const { teamId } = useAgent();
  const [scope, setScope] = useState<GrantScope>('user');
  if (row.scope !== 'either' || !row.admin || teamId === undefined || row.auth === 'none') {
    return <ConnectForm connector={row} onConnected={onConnected} />;
  }
  const options = [
    { value: 'user' as const, label: t('connect.forMe') },
    { value: 'workspace' as const, label: t('connect.forTeam') },
  ];
  return (
    <>
      <Select<GrantScope>
        label={t('connect.whose')}
        className="max-w-72"
        {...{ value: scope, options, onChange: setScope }}
      />
      <ConnectForm connector={row} scope={scope} onConnected={onConnected} />
    </>
  );
}

function hostOf({ url, name }: ConnectorRow): string {
  return url === undefined ? name : new URL(url).host;
}

function stateOf(row: ConnectorRow) {
  if (!row.allowed) return 'connect.notAllowed';
  if (row.expired) return 'connect.expired';
  if (!row.connected) return 'connect.notConnected';
  if (row.auth === 'none') return 'connect.needsNone';
  return row.connected_as === 'user' ? 'connect.asYou' : 'connect.asTeam';
}
