import { type ConnectorRow, type GrantScope, inLanguage } from '@berth/contract/agent';
import { Button, ErrorNote, Field } from '@berth/ui';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { createCalls } from '../../api/api.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface ConnectFormProps {
  readonly connector: Pick<ConnectorRow, 'name' | 'auth' | 'title'>;
  /** Connects for the person or for the workspace; by default the connector decides. */
  readonly scope?: GrantScope | undefined;
  /** Called once, when the connector is connected. */
  onConnected(): void;
}

/** Connects a connector by a sign-in in a new window or by an API key. */
export function ConnectForm(props: ConnectFormProps) {
  return props.connector.auth === 'key' ? <KeyForm {...props} /> : <SignInForm {...props} />;
}

function SignInForm({ connector, scope, onConnected }: ConnectFormProps) {
  const { t, language } = useChatTexts();
  const { name } = connector;
  const title = inLanguage(connector.title, language);
  const { api } = useAgent();
  const [state, setState] = useState<'start' | 'busy' | 'window' | 'done'>('start');
  const [link, setLink] = useState<string | undefined>();
  const [error, setError] = useState<unknown>();
  const waiting = useRef<AbortController>(undefined);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      waiting.current?.abort();
    },
    [],
  );
  const begin = async () => {
    setState('busy');
    setError(undefined);
    // The window must open during the click: browsers block a later one as a pop-up.
    const popup = window.open('about:blank', '_blank', 'popup,width=600,height=720');
    try {
      // The response sets a cookie by which the callback recognizes this browser.
      const { post } = createCalls((path, init) => api.send(path, { ...init, credentials: 'same-origin' }));
      const params = { path: { name }, query: { scope } };
      const { url } = await post('/connectors/{name}/authorize', { params });
      waiting.current?.abort();
      const turn = new AbortController();
      waiting.current = turn;
      const connected = () => {
        turn.abort();
        setState('done');
        onConnected();
      };
      // The card may be gone by now, for example because the person opened another chat.
      if (!isGone.current) void awaitSignIn(name, turn.signal).then(connected);
      if (popup) popup.location.replace(url);
      else setLink(url);
      setState('window');
    } catch (failure) {
      popup?.close();
      setError(failure);
      setState('start');
    }
  };
  if (state === 'done') return <p role="status">{t('connect.connected')}</p>;
  return (
    <div className="flex flex-col items-start gap-2">
      <Button look="primary" isBusy={state === 'busy'} onClick={() => void begin()}>
        {t('connect.card', { title })}
      </Button>
      {state === 'window' && (
        <p role="status" className="text-ink-soft">
          {link === undefined ? t('connect.window') : t('connect.noWindow')}{' '}
          {link !== undefined && (
            <a className="text-accent underline" href={link} target="_blank" rel="noreferrer">
              {t('connect.signIn', { title })}
            </a>
          )}
        </p>
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </div>
  );
}

function KeyForm({ connector, scope, onConnected }: ConnectFormProps) {
  const { t, language } = useChatTexts();
  const { name } = connector;
  const title = inLanguage(connector.title, language);
  const { api } = useAgent();
  const [key, setKey] = useState('');
  const [endpoint, setEndpoint] = useState('');
  const [state, setState] = useState<'start' | 'busy' | 'done'>('start');
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setState('busy');
    setError(undefined);
    try {
      const body = { key, scope, endpoint: endpoint || undefined };
      await api.put('/connectors/{name}/key', { params: { path: { name } }, body });
      setState('done');
      onConnected();
    } catch (failure) {
      setError(failure);
      setState('start');
    }
  };
  if (state === 'done') return <p role="status">{t('connect.connected')}</p>;
  return (
    <form className="flex flex-col items-stretch gap-3" onSubmit={(event) => void submit(event)}>
      <Field
        label={t('connect.key', { title })}
        {...{ type: 'password', required: true, autoComplete: 'off', dir: 'ltr', value: key, onChange: setKey }}
      />
      <Field
        label={t('connect.address')}
        {...{ type: 'url', dir: 'ltr', placeholder: 'https://…', value: endpoint, onChange: setEndpoint }}
      />
      <Button type="submit" look="primary" isBusy={state === 'busy'} className="self-start">
        {t('connect.connect')}
      </Button>
      {error !== undefined && <ErrorNote error={error} />}
    </form>
  );
}

/**
 * The channel on which the agent's callback page reports. The page also posts to its opener, but a provider's page may have
 * cut that link.
 */
const CHANNEL = 'berth-connectors';

/** Waits until the callback page reports that `connector` is connected; never resolves if `signal` aborts first. */
export function awaitSignIn(connector: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    const take = ({ data }: MessageEvent) => {
      if (data?.type === 'berth:connector' && data.connector === connector && data.connected === true) resolve();
    };
    channel.addEventListener('message', take, { signal });
    addEventListener('message', (event) => event.origin === location.origin && take(event), { signal });
    signal.addEventListener('abort', () => channel.close(), { once: true });
  });
}
