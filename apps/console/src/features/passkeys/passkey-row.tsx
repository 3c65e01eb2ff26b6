import type { Passkey } from '@berth/contract';
import { IconButton, MiddleText } from '@berth/ui';
import { FingerprintPattern, Pencil, Trash2 } from 'lucide-react';
import { useConsoleTexts } from '../../text/use-console-texts.ts';

interface PasskeyRowProps {
  readonly passkey: Passkey;
  onRename(): void;
  onRemove(): void;
}

/** One passkey in the list, with buttons to rename and remove it. */
export function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const { t, formats } = useConsoleTexts();
  const { name, is_synced, created_at, last_used_at } = passkey;
  const used =
    last_used_at === null ? t('passkeys.unused') : t('passkeys.used', { when: formats.ago(last_used_at, Date.now()) });
  const facts = [
    t(is_synced ? 'passkeys.synced' : 'passkeys.single'),
    t('passkeys.created', { when: formats.ago(created_at, Date.now()) }),
    used,
  ];
  return (
    <li className="flex items-center gap-3 px-3 py-2">
      <FingerprintPattern aria-hidden className="size-5 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          <MiddleText text={name} />
        </p>
        <ul className="flex flex-wrap gap-x-3 text-xs text-ink-soft">
          {facts.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
      </div>
      <IconButton icon={Pencil} label={t('passkeys.rename', { name })} onClick={onRename} />
      <IconButton icon={Trash2} label={t('passkeys.remove', { name })} onClick={onRemove} />
    </li>
  );
}
