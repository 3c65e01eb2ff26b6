import { useStore } from '@berth/ui/store';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { failureOf, type Item } from '../state/items.ts';
import { useOpenChat } from '../state/open-chat-context.ts';

/** Announces the state of the answer to screen readers, and shows everyone when the browser is offline. */
export function Announcer() {
  const { t } = useChatTexts();
  const { conversation } = useOpenChat();
  const { chatId, items, phase, isSettling } = useStore(conversation.state);
  const last = items.at(-1);
  const isOnline = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const before = useRef({ chatId, phase });
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (isSettling) return;
    if (phase === 'running') setSaid(t('message.writing'));
    else if (phase === 'stopping') setSaid(t('compose.stopping'));
    else if (before.current.phase === 'running' || before.current.phase === 'stopping') {
      // An answer that the person left goes on, and a message that was not sent has none.
      setSaid(before.current.chatId === chatId ? outcomeOf(last, t) : '');
    }
    before.current = { chatId, phase };
  }, [chatId, isSettling, last, phase, t]);
  return (
    <>
      <p role="status" aria-live="polite" className="sr-only">
        {said}
      </p>
      <p role="status" className="mx-auto w-full max-w-3xl px-4 text-warn not-empty:pb-2">
        {isOnline ? '' : t('page.offline')}
      </p>
    </>
  );
}

/** Says how an answer ended; nothing for a message that was not sent. */
function outcomeOf(item: Item | undefined, t: ReturnType<typeof useChatTexts>['t']): string {
  if (item?.kind !== 'answer') return '';
  const failure = item.ending === 'failed' || item.problem !== undefined ? failureOf(item) : undefined;
  if (failure !== undefined) return t('message.failed', { problem: failure });
  return item.ending === undefined ? t('message.done') : t(`ending.${item.ending}`);
}

function subscribeOnline(onChange: () => void): () => void {
  const leave = new AbortController();
  for (const type of ['online', 'offline']) addEventListener(type, onChange, leave);
  return () => leave.abort();
}
