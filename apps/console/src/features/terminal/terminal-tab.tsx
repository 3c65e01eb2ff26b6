import type { DeploymentDetail } from '@berth/contract';
import { Button, classNames, ErrorNote, Select } from '@berth/ui';
import { getRouteApi } from '@tanstack/react-router';
import { Plug, Unplug } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useConsole } from '../../api/console-context.ts';
import { useInstances } from '../../api/shared-lists.ts';
import { useConsoleTexts } from '../../text/use-console-texts.ts';
import { connectExec, type ExecConnection, type ExecState } from './connect-exec.ts';
import { createTerminal, type Terminal } from './create-terminal.ts';
import { explainRefusal } from './explain-refusal.ts';

const route = getRouteApi('/deployments/$name');
const ANY = 'any';

/** Tab with a shell in an instance. A click connects it, because that wakes a service at rest and is audited. */
export function TerminalTab({ deployment: { name } }: { readonly deployment: DeploymentDetail }) {
  const { t } = useConsoleTexts();
  const { client, accountChoice } = useConsole();
  const { instance = ANY } = route.useSearch();
  const navigate = route.useNavigate();
  const instances = useInstances(name).data ?? [];
  const hintId = useId();
  const hostRef = useRef<HTMLElement>(null);
  const buttonRef = useRef<HTMLButtonElement>(null);
  const terminalRef = useRef<Terminal>(undefined);
  const connectionRef = useRef<ExecConnection>(undefined);
  const [state, setState] = useState<ExecState>();
  const [refusal, setRefusal] = useState<unknown>();
  const isConnected = state?.phase === 'connecting' || state?.phase === 'running';

  useEffect(() => {
    if (!hostRef.current) return;
    const terminal = createTerminal(hostRef.current, {
      label: t('terminal.label'),
      hintId,
      tooMuchOutput: t('terminal.tooMuch'),
      onInput: (input) => connectionRef.current?.send(input),
      onResize: (size) => connectionRef.current?.resize(size),
      onLeave: () => buttonRef.current?.focus(),
    });
    terminalRef.current = terminal;
    return () => {
      connectionRef.current?.close();
      terminal.close();
    };
  }, [t, hintId]);

  const connect = (terminal: Terminal) => {
    const account = accountChoice.id;
    const query = new URLSearchParams({ ...(instance !== ANY && { instance }), ...(account && { account }) });
    setRefusal(undefined);
    terminal.setLive(true);
    connectionRef.current = connectExec({
      url: `${location.origin.replace(/^http/, 'ws')}/v1/deployment/${encodeURIComponent(name)}/exec?${query}`,
      size: terminal.size,
      print: terminal.print,
      onState(next) {
        setState(next);
        if (next.phase === 'connecting' || next.phase === 'running') return;
        terminal.setLive(false);
        buttonRef.current?.focus();
        if (next.phase === 'failed' && !next.wasOpen) void explainRefusal(client, name).then(setRefusal);
      },
    });
  };
  const disconnect = () => {
    connectionRef.current?.close();
    terminalRef.current?.setLive(false);
    setState(undefined);
  };

  const known = instances.map(({ instance: id, state: at }) => ({
    value: id,
    label: `${id} (${t(`instance.${at}`)})`,
  }));
  const isGone = instance !== ANY && !instances.some((one) => one.instance === instance);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-end gap-2">
        <Select
          label={t('terminal.instance')}
          value={instance}
          options={[
            { value: ANY, label: t('terminal.any') },
            ...known,
            ...(isGone ? [{ value: instance, label: instance }] : []),
          ]}
          onChange={(next) =>
            void navigate({
              search: { tab: 'terminal', ...(next !== ANY && { instance: next }) },
              replace: true,
            })
          }
          className="min-w-56 max-sm:w-full"
        />
        {isConnected ? (
          <Button ref={buttonRef} icon={Unplug} onClick={disconnect}>
            {t('terminal.disconnect')}
          </Button>
        ) : (
          <Button
            ref={buttonRef}
            look="primary"
            icon={Plug}
            onClick={() => terminalRef.current && connect(terminalRef.current)}
          >
            {t(state === undefined ? 'terminal.connect' : 'terminal.reconnect')}
          </Button>
        )}
        <StateLine state={state} />
      </div>
      {state?.phase === 'failed' && (
        <ErrorNote error={state.message ?? refusal ?? t(state.wasOpen ? 'terminal.lost' : 'terminal.refused')} />
      )}
      <section
        ref={hostRef}
        dir="ltr"
        aria-label={t('terminal.of', { name })}
        className={classNames(
          'h-[max(18rem,55dvh)] overflow-hidden rounded-md border border-line-strong bg-raised p-2 font-mono',
          'focus-within:outline-2 focus-within:outline-accent',
        )}
      />
      <p id={hintId} className="text-ink-soft text-xs">
        {t('terminal.hint')}
      </p>
    </div>
  );
}

/** How the shell does, also for screen readers. */
function StateLine({ state }: { readonly state: ExecState | undefined }) {
  const { t, formats } = useConsoleTexts();
  const text = (() => {
    if (state?.phase === 'connecting') return t('terminal.connecting');
    if (state?.phase === 'running') return t('terminal.connected', { instance: state.instance });
    if (state?.phase !== 'ended') return '';
    return state.exitCode === null
      ? t('terminal.signal', { signal: String(state.signal) })
      : t('terminal.exit', { code: formats.number(state.exitCode) });
  })();
  return (
    <p role="status" className="min-w-0 py-1.5 text-ink-soft">
      {text}
    </p>
  );
}
