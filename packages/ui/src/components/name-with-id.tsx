import { Check, Copy } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { classNames } from './class-names.ts';

export interface NameWithIdProps {
  /** The name, as text or as a link. */
  readonly children: ReactNode;
  /** Id behind the name: shown on hover and copied by the button. */
  readonly id: string;
}

/**
 * The name of a person, key or revision, with a button that copies its id. The button appears on hover and focus, and is
 * always there on touch screens.
 */
export function NameWithId({ children, id }: NameWithIdProps) {
  const { t } = useTexts<PartMessages>();
  const [isCopied, setCopied] = useState(false);
  const Icon = isCopied ? Check : Copy;
  const label = isCopied ? t('parts.copied') : t('parts.copyId', { id });
  return (
    <span title={id} className="group/name inline-flex max-w-full min-w-0 items-center gap-1">
      <bdi className="min-w-0 truncate">{children}</bdi>
      <button
        type="button"
        aria-label={label}
        title={label}
        onClick={() => void navigator.clipboard.writeText(id).then(() => setCopied(true))}
        onBlur={() => setCopied(false)}
        className={classNames(
          'inline-flex size-6 shrink-0 items-center justify-center rounded text-ink-soft hover:bg-hover hover:text-ink',
          'opacity-0 group-hover/name:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100',
        )}
      >
        <Icon aria-hidden className="size-3.5" />
      </button>
    </span>
  );
}
