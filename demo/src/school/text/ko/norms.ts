export const norms = {
  'norms.what': '블록의 부분마다 벡터에 무언가를 더하므로, 층을 지날수록 벡터가 커집니다. 정규화는 토큰마다 벡터를 한 크기로 되돌립니다. 배치 정규화와 달리 다른 토큰이나 다른 문장은 보지 않습니다.',
  'norms.why': 'LayerNorm은 평균을 빼고 표준편차로 나눕니다. RMSNorm은 제곱평균제곱근으로 나누기만 합니다. LLaMA, Qwen, Gemma는 평균을 빼지 않습니다. 계산은 줄고 결과는 비슷합니다. γ와 β는 학습하는 '
    + '값으로, 층이 다른 크기를 고를 수 있게 합니다.',
  'norms.figure': '여러분의 벡터로',
  'norms.figure.lead': '벡터에 곱하거나 더해 보세요. LayerNorm은 둘 다 상관하지 않고, RMSNorm은 더한 것에 영향을 받습니다.',
  'norms.vector': '벡터',
  'norms.error': '숫자를 {n}개까지 빈칸으로 나눠 적으세요: 3 −1 0.5',
  'norms.times': '곱하기',
  'norms.plus': '더하기',
  'norms.gain': 'γ',
  'norms.shift': 'β',
  'norms.mean': '평균',
  'norms.deviation': '표준편차',
  'norms.rms': '제곱평균제곱근',
  'norms.exercise.question': 'γ = 1, β = 0인 LayerNorm에 벡터 (1, 5)를 넣습니다. 첫 성분은 반올림해서 얼마일까요?',
  'norms.exercise.right': '평균은 3, 표준편차는 2입니다: (1 − 3) / 2.',
  'norms.exercise.wrong': '위의 그림에 벡터 1 5를 넣어 보세요.',
};
