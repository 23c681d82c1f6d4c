/**
 * What is used of the packages behind Bedrock, by name, so that a bundle holds nothing else of them. Imported at run time
 * only, by `bedrock-model.ts` (F-78).
 */
export { BedrockRuntimeClient } from "@aws-sdk/client-bedrock-runtime";
export { ChatBedrockConverse } from "@langchain/aws";
