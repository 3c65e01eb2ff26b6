import { createContext, useContext } from 'react';
import type { ChatPage } from './page.ts';

export const PageContext = createContext<ChatPage | undefined>(undefined);

/** The page that what is shown belongs to. */
export function usePage(): ChatPage {
  const page = useContext(PageContext);
  if (!page) throw new Error('usePage outside of PageContext');
  return page;
}
