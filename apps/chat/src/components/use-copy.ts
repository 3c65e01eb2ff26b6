import { useTell } from '@berth/ui';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { messageOf } from '../api/message-of.ts';
import { useChatTexts } from '../text/use-chat-texts.ts';

/** Returns a function that copies text to the clipboard and confirms it with a toast. */
export function useCopy(): (text: string) => void {
  const { t } = useChatTexts();
  const tell = useTell();
  return (text) => {
    navigator.clipboard.writeText(text).then(
      () => tell(t('parts.copied')),
      (error) => tell(messageOf(error)),
    );
  };
}

const COPIED_MS = 2_000;

/** Returns the icon, label and action of a button that copies text; for a moment after a press they say so. */
export function useCopyButton(text: () => string) {
  const { t } = useChatTexts();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return {
    icon: isCopied ? Check : Copy,
    label: isCopied ? t('parts.copied') : t('parts.copy'),
    onClick: () => void copy(),
  };
}
