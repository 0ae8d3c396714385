// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
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
        _requireCommitted(game, MarketLeaf.ofClue(address(this), game.judge, round, clue, salt), proof);

        game.cluesRevealed = round + 1;
        emit ClueRevealed(gameId, round, clue);
    }

    /// @inheritdoc IMarketGames
    function proveAnswer(uint256 gameId, uint8 choice, bytes32 salt, bytes32[] calldata proof) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.AwaitingAnswer);
        if (choice >= game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        _requireCommitted(game, MarketLeaf.ofAnswer(address(this), game.judge, game.roundCount, choice, salt), proof);

        (game.answer, game.answered, game.answeredAtSec) = (choice, true, uint40(block.timestamp));
        emit AnswerProven(gameId, choice);
    }

    function _requireCommitted(Game storage game, bytes32 leaf, bytes32[] calldata proof) internal view {
        bytes32 root = game.root;
        if (!MerkleProof.verifyCalldata(proof, root, leaf)) revert PredictionMarket_NotCommitted(leaf, root);
    }
}
