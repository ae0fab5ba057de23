export const activations = {
  'activations.what': '어텐션은 토큰 사이에서 정보를 옮깁니다. 그다음 피드포워드 층이 토큰마다 따로, 모든 위치에서 같은 가중치로 일합니다. 벡터를 넓히고 (흔히 네 배), 활성화 함수로 구부린 뒤, 다시 줄입니다.',
  'activations.why': '구부리지 않으면 행렬 둘은 하나와 같습니다. ReLU는 0에서 자릅니다. GELU와 SiLU는 부드럽게 자르고 음수도 조금 남겨, 그곳에도 기울기가 있습니다. 게이트가 있는 층은 구부린 쪽에 다른 선형 '
    + '변환을 곱합니다. LLaMA의 SwiGLU, Gemma의 GeGLU가 그렇습니다.',
  'activations.curves': '곡선',
  'activations.curves.lead': '모두 너비가 1이고 가중치가 1인 피드포워드 층에 −4부터 4까지 넣은 것입니다. 게이트가 있는 층에서는 x가 게이트, u가 게이트를 지나는 값입니다.',
  'activations.up': 'u',
  'activations.slope': '기울기',
  'activations.output': '출력',
  'activations.exercise.question': 'SiLU(x) = x · σ(x)입니다. SiLU(1)은 얼마일까요? 소수점 아래 세 자리까지 쓰세요.',
  'activations.exercise.right': 'σ(1) = 1 / (1 + e⁻¹) = 0.731에 1을 곱합니다.',
  'activations.exercise.wrong': '그래프에서 x = 1을 가리키거나 화살표 키를 쓰세요.',
};
