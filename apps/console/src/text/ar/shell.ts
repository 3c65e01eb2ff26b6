import type { Translation } from '@berth/ui';
import type { shell as source } from '../en/shell.ts';

export const shell: Translation<typeof source> = {
  'shell.skip': 'انتقل إلى المحتوى',
  'shell.nav': 'الرئيسية',
  'shell.menu': 'القائمة',
  'shell.theme': 'المظهر',
  'shell.theme.system': 'حسب النظام',
  'shell.theme.light': 'فاتح',
  'shell.theme.dark': 'داكن',
  'shell.language': 'اللغة',
  'shell.account': 'الحساب',
  'shell.signOut': 'تسجيل الخروج',
  'shell.search': 'بحث',
  'shell.offline': 'المنصة لا تجيب. قد يكون ما تراه قديمًا؛ ستتابع هذه الصفحة من تلقاء نفسها.',
  'shell.notFound.title': 'لا توجد صفحة كهذه',
  'shell.notFound.text': 'قد يكون العنوان مكتوبًا خطأ، أو حُذف ما كان يشير إليه.',
  'shell.home': 'انتقل إلى عمليات النشر',
  'shell.broken.title': 'تعطلت هذه الصفحة',
  'nav.deployments': 'عمليات النشر',
  'nav.logs': 'السجلات',
  'nav.sql': 'SQL',
  'nav.keys': 'مفاتيح API',
  'nav.audit': 'سجل التدقيق',
  'shell.name': 'الاسم',
};
