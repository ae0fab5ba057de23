import type { understand as en } from '../en/understand';

export const understand: Record<keyof typeof en, string> = {
  'understand.lead': '글을 읽는 모델들로, 저마다 한 가지 일을 합니다. 입력하면 결과가 바로 바뀝니다.',
  'understand.page': '이 페이지의 모델로',
  'understand.own': '내 모델로',
  'understand.result': '결과',
  'errand.pos': '품사',
  'errand.slots': '명령의 세부 내용',
  'errand.intents': '명령의 의도',
  'errand.spam': '스팸',
  'errand.mask': '빈칸 채우기',
  'errand.similar': '비슷한 줄 찾기',
  'errand.sentiment': '감정',
  'errand.labels': '직접 정한 분류',
  'errand.answer': '질문에 답하기',
  'errand.summary': '요약',
};
