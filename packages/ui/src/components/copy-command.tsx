import { Terminal } from 'lucide-react';
import { type CallSecret, type HttpCall, toCurl } from '../commands/to-curl.ts';
import type { PartMessages } from '../text/part-texts.ts';
import { useTexts } from '../text/text-context.tsx';
import { Button } from './button.tsx';
import { Menu } from './menu.tsx';
import { useTell } from './toasts.tsx';

export interface CopyCommandProps {
  /** The CLI command, e.g. `npx berth ls`; undefined where the CLI has none. */
  readonly cli?: string | undefined;
  readonly http: HttpCall;
  readonly secret?: CallSecret | undefined;
}

/** Returns a function that copies a text and says so in a toast. */
export function useCopy(): (text: string) => Promise<void> {
  const { t } = useTexts<PartMessages>();
  const tell = useTell();
  return async (text) => {
    await navigator.clipboard.writeText(text);
    tell(t('parts.copied'));
  };
}

/** A menu that copies the CLI command or the curl call equivalent to a form or dialog. A page has a `PageMenu` instead. */
export function CopyCommand({ cli, http, secret }: CopyCommandProps) {
  const { t } = useTexts<PartMessages>();
  const copy = useCopy();
  const trigger = (
    <Button look="quiet" aria-label={t('parts.copyCommand')}>
      <Terminal aria-hidden className="size-4" />
      <span className="max-sm:sr-only">{t('parts.copyCommand')}</span>
    </Button>
  );
  return (
    <Menu
      trigger={trigger}
      items={[
        ...(cli === undefined ? [] : [{ label: 'berth', onChoose: () => void copy(cli) }]),
        { label: 'curl', onChoose: () => void copy(toCurl(http, location.origin, secret)) },
      ]}
    />
  );
}
