import { CSPProvider } from '@base-ui/react/csp-provider';
import { chooseLanguage, keepLanguage, type Language, TextProvider, ToastProvider } from '@berth/ui';
import { createContext, type ReactNode, useContext, useMemo, useState } from 'react';
import { CHAT_TEXTS } from '../text/use-chat-texts.ts';

interface Preferences {
  setLanguage(language: Language): void;
}

const PreferencesContext = createContext<Preferences>({ setLanguage: () => {} });

export const usePreferences = () => useContext(PreferencesContext);

/** Provides texts in the person's language, and toasts. */
export function PreferencesProvider({ children }: { readonly children: ReactNode }) {
  const [language, setLanguage] = useState(() => chooseLanguage(localStorage, navigator.languages));
  const preferences = useMemo<Preferences>(
    () => ({
      setLanguage(next) {
        keepLanguage(next, localStorage);
        setLanguage(next);
      },
    }),
    [],
  );
  return (
    <PreferencesContext value={preferences}>
      <CSPProvider disableStyleElements>
        <TextProvider language={language} messages={CHAT_TEXTS[language]}>
          {/* Above the message field, which somebody may be writing in. */}
          <ToastProvider bottomClass="bottom-[calc(7rem+var(--keyboard-height,0px))]">{children}</ToastProvider>
        </TextProvider>
      </CSPProvider>
    </PreferencesContext>
  );
}
