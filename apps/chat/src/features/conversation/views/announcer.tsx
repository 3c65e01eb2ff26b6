import { useStore } from '@berth/ui/store';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useChatTexts } from '../../../text/use-chat-texts.ts';
import { useOpenChat } from '../state/open-chat-context.ts';

/** Announces the state of the answer to screen readers, and shows everyone when the browser is offline. */
export function Announcer() {
  const { t } = useChatTexts();
  const { conversation } = useOpenChat();
  const { chatId, items, phase } = useStore(conversation.state);
  const isAnswered = items.at(-1)?.kind === 'answer';
  const isOnline = useSyncExternalStore(subscribeOnline, () => navigator.onLine);
  const before = useRef({ chatId, phase });
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (phase === 'running') setSaid(t('message.writing'));
    else if (phase === 'stopping') setSaid(t('compose.stopping'));
    else if (before.current.phase === 'running' || before.current.phase === 'stopping') {
      // An answer that the person left goes on, and a message that was not sent has none.
      setSaid(before.current.chatId === chatId && isAnswered ? t('message.done') : '');
    }
    before.current = { chatId, phase };
  }, [chatId, isAnswered, phase, t]);
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

function subscribeOnline(onChange: () => void): () => void {
  const leave = new AbortController();
  for (const type of ['online', 'offline']) addEventListener(type, onChange, leave);
  return () => leave.abort();
}
