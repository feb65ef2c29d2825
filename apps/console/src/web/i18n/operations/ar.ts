import type { OperationMessages } from './en.js';

export const arOperations: OperationMessages = {
  pages: { approvals: 'الموافقات' },
  notices: { requested: 'أُرسل الطلب. يجب أن يوافق عليه شخص ثانٍ في صفحة «الموافقات».' },
  empty: { approvals: 'تظهر هنا المفاتيح المباشرة وأرصدة المجمعات وقرارات العمليات إلى أن يوافق عليها شخص ثانٍ.' },
  status: { approved: 'تمت الموافقة', declined: 'مرفوض', done: 'تم' },
  fields: { amount: 'المبلغ', reference: 'المرجع' },
  approvals: {
    lead: 'تُنفَّذ هذه التغييرات بعد أن يوافق عليها شخص غير من طلبها.',
    requested: 'طلبه',
    decided: 'قرره',
    note: 'ملاحظة',
    until: 'مفتوح حتى',
    digest: 'بصمة التغيير',
    operations: {
      createKey: 'إصدار مفتاح مباشر',
      movePoolBalance: 'تحريك رصيد مجمع',
    },
  },
  forms: {
    approve: {
      title: 'الموافقة على هذا التغيير؟',
      lead: 'يُنفَّذ كما هو معروض باسم من طلبه، ويذكر سجل التدقيق اسميكما.',
      submit: 'موافقة',
    },
    decline: { title: 'رفض هذا التغيير؟', lead: 'لن يُنفَّذ، ويلزم طلب جديد.', submit: 'رفض' },
    collect: { title: 'استلام المفتاح', lead: 'يُنشأ المفتاح الآن ويُعرض لك مرة واحدة.', submit: 'عرض المفتاح' },
  },
};
