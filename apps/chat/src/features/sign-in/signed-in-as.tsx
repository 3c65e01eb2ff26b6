import { IconButton, NameWithId } from '@berth/ui';
import { LogOut } from 'lucide-react';
import { useCallback } from 'react';
import { useAgent } from '../../api/agent-context.ts';
import { useLoaded } from '../../components/use-loaded.ts';
import { useChatTexts } from '../../text/use-chat-texts.ts';

export interface SignedInAsProps {
  /** Undefined where the page can't sign out. */
  readonly onSignOut: (() => void) | undefined;
}

/** Shows who is signed in: the name with the e-mail address, or the user ID where the token has neither. */
export function SignedInAs({ onSignOut }: SignedInAsProps) {
  const { t } = useChatTexts();
  const { api } = useAgent();
  // An agent of an earlier version doesn't say who it is.
  const { value: me } = useLoaded(useCallback(() => api.get('/me'), [api]));
  if (!me) return null;
  const { user_id: id, name, email } = me;
  const shown = name ?? email ?? id;
  return (
    <section
      aria-label={t('sign.as', { name: shown })}
      className="flex items-center gap-2 border-t border-line px-3 py-2"
    >
      <span
        aria-hidden
        className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft font-medium text-accent uppercase"
      >
        {[...shown][0]}
      </span>
      <span className="flex min-w-0 flex-1 flex-col items-start">
        <NameWithId id={id}>{shown}</NameWithId>
        {name !== undefined && email !== undefined && (
          <bdi className="max-w-full truncate text-xs text-ink-soft">{email}</bdi>
        )}
      </span>
      {onSignOut && <IconButton icon={LogOut} label={t('sign.out')} onClick={onSignOut} />}
    </section>
  );
}
