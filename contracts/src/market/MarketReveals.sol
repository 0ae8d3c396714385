// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IMarketGames} from "../interfaces/IMarketGames.sol";
import {MarketLeaf} from "../libraries/MarketLeaf.sol";
import {MarketLedger} from "./MarketLedger.sol";

/// @title MarketReveals
/// @notice Clues and the answer, proven against the game's root.
abstract contract MarketReveals is MarketLedger {
    uint256 private constant MOST_CLUE = 4_096;

    /// @inheritdoc IMarketGames
    function revealClue(uint256 gameId, string calldata clue, bytes32 salt, bytes32[] calldata proof) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.AwaitingClue);
        if (bytes(clue).length > MOST_CLUE) revert PredictionMarket_TextTooLong(bytes(clue).length, MOST_CLUE);
        uint8 round = game.cluesRevealed;
        bytes32 leaf = MarketLeaf.ofClue(address(this), game.judge, round, clue, salt);
        if (proof.length != uint256(round) + 1) revert PredictionMarket_NotCommitted(leaf, game.root);
        _requireRoot(game, leaf, MarketLeaf.rootOverClue(leaf, proof));

        game.cluesRevealed = round + 1;
        emit ClueRevealed(gameId, round, clue);
    }

    /// @inheritdoc IMarketGames
    function proveAnswer(uint256 gameId, uint8 choice, bytes32 salt, bytes32[] calldata proof) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.AwaitingAnswer);
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        uint8 roundCount = game.roundCount;
        bytes32 leaf = MarketLeaf.ofAnswer(address(this), game.judge, roundCount, choice, salt);
        if (proof.length != roundCount) revert PredictionMarket_NotCommitted(leaf, game.root);
        _requireRoot(game, leaf, MarketLeaf.rootOverAnswer(leaf, proof));

        (game.answer, game.answered, game.answeredAtSec) = (choice, true, uint40(block.timestamp));
        emit AnswerProven(gameId, choice);
    }

    function _requireRoot(Game storage game, bytes32 leaf, bytes32 found) internal view {
        bytes32 root = game.root;
        if (found != root) revert PredictionMarket_NotCommitted(leaf, root);
    }
}
