// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IPredictionMarket} from "../interfaces/IPredictionMarket.sol";
import {BlockHashes} from "../libraries/BlockHashes.sol";
import {CommitteeDraw} from "../libraries/CommitteeDraw.sol";
import {MarketPools} from "./MarketPools.sol";

/// @title MarketDisputes
/// @notice A dispute over an answer: a committee of seats without a part in the game, drawn by a block that nobody
/// knew when the dispute was opened, commits to verdicts and reveals them.
abstract contract MarketDisputes is MarketPools {
    using SafeERC20 for IBurnableToken;

    uint256 private constant COMMITTEE = 5;

    /// @dev Blocks between a dispute and the one that draws: whoever sends the dispute does not choose its hash.
    uint256 private constant SEED_DELAY = 2;

    /// @dev Set in every sealed ballot, so that none can be written as what a revealed one is.
    uint256 private constant SEALED = 1 << 255;

    /// @inheritdoc IPredictionMarket
    function dispute(uint256 gameId) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputable);
        if (_totalStake(gameId) == 0) revert PredictionMarket_NothingAtStake(gameId);

        Dispute storage state = _disputes[gameId];
        (state.disputer, state.openedAtSec) = (msg.sender, uint40(block.timestamp));
        (state.seedBlock, state.seatRound) = (uint64(block.number + SEED_DELAY), rounds.currentRound());
        emit GameDisputed(gameId, msg.sender, state.seedBlock);
        token.safeTransferFrom(msg.sender, address(this), game.bond);
    }

    /// @inheritdoc IPredictionMarket
    function drawCommittee(uint256 gameId) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputed);
        Dispute storage state = _disputes[gameId];
        if (state.drawn) revert PredictionMarket_AlreadyDrawn(gameId);
        _requireSpan(state.openedAtSec, game.disputeSec);
        bytes32 blockHash = BlockHashes.hashOf(state.seedBlock);
        if (blockHash == 0) revert PredictionMarket_NoSeed(state.seedBlock, block.number);

        state.drawn = true;
        bytes32 seed = keccak256(abi.encode(blockHash, address(this), gameId));
        bytes32[] memory keys = _seatsFor(state);
        for (uint256 i = 0; i < keys.length && state.committee.length < COMMITTEE; ++i) {
            bytes32 seatKey = CommitteeDraw.next(keys, i, seed);
            if (_impartial(gameId, game.judge, state.disputer, seatKey)) state.committee.push(seatKey);
        }
        emit CommitteeDrawn(gameId, state.committee);
    }

    /// @inheritdoc IPredictionMarket
    function commitVerdict(uint256 gameId, bytes32 seatKey, bytes32 commitment) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputed);
        _requireSpan(_disputes[gameId].openedAtSec, game.disputeSec);
        _requireSpeaker(seatKey);
        if (!_sits(gameId, seatKey) || _ballots[gameId][seatKey] != 0) {
            revert PredictionMarket_NoVerdictDue(gameId, seatKey);
        }
        _ballots[gameId][seatKey] = uint256(commitment) | SEALED;
        emit VerdictCommitted(gameId, seatKey, commitment);
    }

    /// @inheritdoc IPredictionMarket
    function revealVerdict(uint256 gameId, bytes32 seatKey, uint8 choice, bytes32 salt) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputed);
        Dispute storage state = _disputes[gameId];
        _requireSpan(uint256(state.openedAtSec) + game.disputeSec, game.disputeSec);
        _requireSpeaker(seatKey);
        if (choice > game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        bytes32 commitment = keccak256(abi.encode(block.chainid, address(this), gameId, seatKey, choice, salt));
        if (_ballots[gameId][seatKey] != uint256(commitment) | SEALED) {
            revert PredictionMarket_NotVerdict(seatKey, commitment);
        }
        _ballots[gameId][seatKey] = uint256(choice) + 1;
        ++state.revealed;
        emit VerdictRevealed(gameId, seatKey, choice);
    }

    /// @inheritdoc IPredictionMarket
    function disputeOf(uint256 gameId) external view returns (DisputeView memory state) {
        Dispute storage kept = _disputes[gameId];
        return DisputeView(kept.disputer, kept.openedAtSec, kept.seedBlock, kept.drawn, kept.revealed, kept.committee);
    }

    /// @dev More than half of the committee for one choice, and never fewer than two.
    function _verdictOf(uint256 gameId) internal view returns (bool reached, uint8 choice) {
        bytes32[] storage committee = _disputes[gameId].committee;
        uint256 quorum = committee.length / 2 + 1;
        if (quorum < 2) quorum = 2;
        uint256 choices = _games[gameId].choiceCount;
        for (uint256 candidate = 0; candidate <= choices; ++candidate) {
            if (_votesFor(gameId, candidate) >= quorum) return (true, uint8(candidate));
        }
    }

    /// @dev Pays the seats behind a verdict alike from the loser's bond, whoever lost.
    function _payVerdict(uint256 gameId, uint8 choice, uint256 pay) internal returns (uint256 paid) {
        bytes32[] storage committee = _disputes[gameId].committee;
        uint256 each = pay / committee.length;
        for (uint256 i = 0; i < committee.length; ++i) {
            bytes32 seatKey = committee[i];
            if (_ballots[gameId][seatKey] != uint256(choice) + 1) continue;
            _credit(gameId, peerRegistry.accountOf(seatKey), each);
            paid += each;
        }
    }

    function _votesFor(uint256 gameId, uint256 choice) internal view returns (uint256 votes) {
        bytes32[] storage committee = _disputes[gameId].committee;
        for (uint256 i = 0; i < committee.length; ++i) {
            if (_ballots[gameId][committee[i]] == choice + 1) ++votes;
        }
    }

    function _impartial(
        uint256 gameId,
        address judge,
        address disputer,
        bytes32 seatKey
    ) internal view returns (bool impartial) {
        address account = peerRegistry.accountOf(seatKey);
        if (account == address(0) || account == judge || account == disputer) return false;
        return !hasBet(gameId, account) && !_hasPosition(gameId, seatKey);
    }

    /// @dev The seats of the round of the dispute, so that none can be taken for it. Where they are forgotten, for a
    /// draw that nobody made for many rounds, those of now.
    function _seatsFor(Dispute storage state) internal view returns (bytes32[] memory keys) {
        try seats.seatsAt(state.seatRound) returns (bytes32[] memory known) {
            return known;
        } catch {
            return seats.seatsAt(rounds.currentRound());
        }
    }

    function _sits(uint256 gameId, bytes32 seatKey) internal view returns (bool seated) {
        bytes32[] storage committee = _disputes[gameId].committee;
        for (uint256 i = 0; i < committee.length; ++i) if (committee[i] == seatKey) return true;
    }

    function _requireSpeaker(bytes32 seatKey) internal view {
        if (peerRegistry.accountOf(seatKey) != msg.sender) {
            revert PredictionMarket_NotSeatAccount(seatKey, msg.sender);
        }
    }

    function _requireSpan(uint256 fromSec, uint256 lengthSec) internal view {
        if (block.timestamp < fromSec || block.timestamp >= fromSec + lengthSec) {
            revert PredictionMarket_NotNow(block.timestamp, fromSec, fromSec + lengthSec);
        }
    }
}
