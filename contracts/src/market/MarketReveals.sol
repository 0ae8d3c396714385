// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {IPredictionMarket} from "../interfaces/IPredictionMarket.sol";
import {MarketLeaf} from "../libraries/MarketLeaf.sol";
import {MarketPrices} from "../libraries/MarketPrices.sol";
import {MarketLedger} from "./MarketLedger.sol";

/// @title MarketReveals
/// @notice Clues and the answer, proven against the game's root.
abstract contract MarketReveals is MarketLedger {
    uint256 private constant MOST_CLUE = 4_096;

    /// @inheritdoc IPredictionMarket
    function revealClue(uint256 gameId, string calldata clue, bytes32 salt, bytes32[] calldata proof) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.AwaitingClue);
        if (bytes(clue).length > MOST_CLUE) revert PredictionMarket_TextTooLong(bytes(clue).length, MOST_CLUE);
        uint8 round = game.cluesRevealed;
        _requireCommitted(game, MarketLeaf.ofClue(game.judge, round, clue, salt), proof);

        game.cluesRevealed = round + 1;
        emit ClueRevealed(gameId, round, clue);
        if (round + 1 < game.roundCount) _openRound(gameId, game, round + 1);
    }

    /// @inheritdoc IPredictionMarket
    function proveAnswer(uint256 gameId, uint8 choice, bytes32 salt, bytes32[] calldata proof) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.AwaitingAnswer);
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        _requireCommitted(game, MarketLeaf.ofAnswer(game.judge, game.roundCount, choice, salt), proof);

        (game.answer, game.answered, game.answeredAtSec) = (choice, true, uint40(block.timestamp));
        emit AnswerProven(gameId, choice);
    }

    /// @inheritdoc IPredictionMarket
    function clueLeaf(
        address judge,
        uint8 round,
        string calldata clue,
        bytes32 salt
    ) external view returns (bytes32 leaf) {
        return MarketLeaf.ofClue(judge, round, clue, salt);
    }

    /// @inheritdoc IPredictionMarket
    function answerLeaf(
        address judge,
        uint8 roundCount,
        uint8 choice,
        bytes32 salt
    ) external view returns (bytes32 leaf) {
        return MarketLeaf.ofAnswer(judge, roundCount, choice, salt);
    }

    /// @dev Fixes the prices of a round. Betting on the one before is over, so that nothing moves until its betting
    /// begins.
    function _openRound(uint256 gameId, Game storage game, uint8 round) internal {
        (uint256 choices, uint256 virtualStake) = (game.choiceCount, game.virtualStake);
        uint256[] memory numbers = new uint256[](choices);
        uint256 sum = 0;
        for (uint256 choice = 0; choice < choices; ++choice) {
            numbers[choice] = MarketPrices.weight(_choices[gameId][choice].stake, virtualStake);
            sum += numbers[choice];
        }
        _openings[gameId][round] = sum;
        for (uint256 choice = 0; choice < choices; ++choice) {
            numbers[choice] = MarketPrices.price(numbers[choice], sum, choices, round);
        }
        emit RoundOpened(gameId, round, numbers);
    }

    function _requireCommitted(Game storage game, bytes32 leaf, bytes32[] calldata proof) internal view {
        bytes32 root = game.root;
        if (!MerkleProof.verifyCalldata(proof, root, leaf)) revert PredictionMarket_NotCommitted(leaf, root);
    }
}
