import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { IconButton } from './icon-button.tsx';

export interface CopyCodeProps {
  /** Text that is shown and copied verbatim. */
  readonly code: string;
}

/** Code or a secret with a copy button. */
export function CopyCode({ code }: CopyCodeProps) {
  const { t } = useTexts<PartMessages>();
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    setCopied(true);
  };
  return (
    <div
      dir="ltr"
      className="flex w-full max-w-full items-center gap-1 rounded-md border border-line bg-sunken ps-3 text-start"
    >
      <code className="min-w-0 flex-1 py-1.5 font-mono text-xs break-all whitespace-pre-wrap select-all">{code}</code>
      <IconButton
        icon={isCopied ? Check : Copy}
        label={isCopied ? t('parts.copied') : t('parts.copy')}
        onClick={() => void copy()}
        onBlur={() => setCopied(false)}
      />
    </div>
  );
}
