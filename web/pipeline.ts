// webformer/pipeline: the function pipeline() of transformers.js and what goes with it, by its names.
export type { AnswerResult, FillMask, FillMaskResult, QuestionAnswering } from './pipeline/answers.js';
export type { FeatureExtraction, FeatureExtractionOptions } from './pipeline/features.js';
export type { GenerationOptions } from './pipeline/generation-options.js';
export type {
  Chat, Summarization, TextGeneration, TextGenerationOptions, TextToTextGeneration, Translation, TranslationOptions,
} from './pipeline/generation.js';
export type {
  GroupResult, TextClassification, TokenClassification, TokenClassificationOptions, TokenResult, ZeroShotClassification, ZeroShotResult,
} from './pipeline/labels.js';
export type { PipelineOptions, ProgressInfo } from './pipeline/loading.js';
export { pipeline, type Pipeline, type PipelineType } from './pipeline/pipeline.js';
export { TextStreamer, type Streamer, type TextStreamerOptions } from './pipeline/streamer.js';
export { Tensor } from './pipeline/tensor.js';
