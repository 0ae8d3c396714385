// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBurnableToken} from "../interfaces/IBurnableToken.sol";
import {IMarketDisputes} from "../interfaces/IMarketDisputes.sol";
import {BlockHashes} from "../libraries/BlockHashes.sol";
import {Draws} from "../libraries/Draws.sol";
import {Tally} from "../libraries/Tally.sol";
import {MarketPools} from "./MarketPools.sol";

/// @title MarketDisputes
/// @notice A dispute over an answer: a committee of seats that did not take part in the game commits to verdicts and
/// reveals them. A block that was unknown when the dispute was opened draws it.
abstract contract MarketDisputes is MarketPools {
    using SafeERC20 for IBurnableToken;

    uint256 private constant COMMITTEE = 5;

    /// @dev Most seats tried for a committee: trying all could exceed a block's gas. If half of all seats take part in
    /// the game, 998 of 1,000 draws of 23 contain five that do not.
    uint256 private constant CANDIDATES = 23;

    /// @dev Blocks between a dispute and the block that draws, so that the disputer cannot choose its hash.
    uint256 private constant SEED_DELAY = 2;

    /// @inheritdoc IMarketDisputes
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

    /// @inheritdoc IMarketDisputes
    function drawCommittee(uint256 gameId) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputed);
        Dispute storage state = _disputes[gameId];
        if (state.drawn) revert PredictionMarket_AlreadyDrawn(gameId);
        _requireSpan(state.openedAtSec, game.disputeSec);
        bytes32 blockHash = BlockHashes.hashOf(state.seedBlock);
        if (blockHash == 0) revert PredictionMarket_NoSeed(state.seedBlock, block.number);

        state.drawn = true;
        uint64 round = state.seatRound;
        bytes32 seed = Draws.seedOf("waggle dispute", round, blockHash, bytes32(gameId));
        // The seats of the dispute's round or none: whoever draws could change later ones to choose the committee.
        uint32[] memory candidates = Draws.distinct(seats.seatCountAt(round), CANDIDATES, seed);
        for (uint256 i = 0; i < candidates.length && state.committee.length < COMMITTEE; ++i) {
            bytes32 seatKey = seats.seatAt(round, candidates[i]);
            if (_impartial(gameId, game.judge, state.disputer, seatKey)) state.committee.push(seatKey);
        }
        emit CommitteeDrawn(gameId, state.committee);
    }

    /// @inheritdoc IMarketDisputes
    function commitVerdict(uint256 gameId, bytes32 seatKey, bytes32 commitment) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputed);
        _requireSpan(_disputes[gameId].openedAtSec, game.disputeSec);
        _requireSpeaker(seatKey);
        _commit(bytes32(gameId), _positionOf(gameId, seatKey), seatKey, commitment);
        emit VerdictCommitted(gameId, seatKey, commitment);
    }

    /// @inheritdoc IMarketDisputes
    function revealVerdict(uint256 gameId, bytes32 seatKey, uint8 choice, bytes32 salt) external {
        Game storage game = _requireGame(gameId);
        _requirePhase(gameId, Phase.Disputed);
        Dispute storage state = _disputes[gameId];
        _requireSpan(uint256(state.openedAtSec) + game.disputeSec, game.disputeSec);
        _requireSpeaker(seatKey);
        if (choice > game.choiceCount) revert PredictionMarket_UnknownChoice(choice, game.choiceCount);
        bytes32 commitment = keccak256(abi.encode(block.chainid, address(this), gameId, seatKey, choice, salt));
        _reveal(bytes32(gameId), _positionOf(gameId, seatKey), commitment, choice);
        ++state.revealed;
        emit VerdictRevealed(gameId, seatKey, choice);
    }

    /// @inheritdoc IMarketDisputes
    function disputeOf(uint256 gameId) external view returns (DisputeView memory state) {
        Dispute storage kept = _disputes[gameId];
        return DisputeView(kept.disputer, kept.openedAtSec, kept.seedBlock, kept.drawn, kept.revealed, kept.committee);
    }

    /// @dev More than half of the committee for one choice, and never fewer than two.
    function _verdictOf(uint256 gameId) internal view returns (bool reached, uint8 choice) {
        uint256 quorum = Tally.quorumOf(_disputes[gameId].committee.length);
        uint256 choices = _games[gameId].choiceCount;
        for (uint256 candidate = 0; candidate <= choices; ++candidate) {
            if (_votesFor(gameId, candidate) >= quorum) return (true, uint8(candidate));
        }
    }

    /// @dev Pays the seats behind a verdict in equal parts from the loser's bond.
    function _payVerdict(uint256 gameId, uint8 choice, uint256 pay) internal returns (uint256 paid) {
        bytes32[] storage committee = _disputes[gameId].committee;
        uint256 each = pay / committee.length;
        for (uint256 i = 0; i < committee.length; ++i) {
            if (_verdicts[bytes32(gameId)][i].word != Tally.laneOf(choice)) continue;
            _credit(_accountOf(committee[i]), each);
            paid += each;
        }
    }

    function _votesFor(uint256 gameId, uint256 choice) internal view returns (uint256 votes) {
        uint256 seats = _disputes[gameId].committee.length;
        for (uint256 i = 0; i < seats; ++i) {
            if (_verdicts[bytes32(gameId)][i].word == Tally.laneOf(uint16(choice))) ++votes;
        }
    }

    function _impartial(
        uint256 gameId,
        address judge,
        address disputer,
        bytes32 seatKey
    ) internal view returns (bool impartial) {
        address account = _accountOf(seatKey);
        if (account == address(0) || account == judge || account == disputer) return false;
        return !hasBet(gameId, account) && !_hasPosition(gameId, seatKey);
    }

    function _positionOf(uint256 gameId, bytes32 seatKey) internal view returns (uint256 position) {
        bytes32[] storage committee = _disputes[gameId].committee;
        while (position < committee.length && committee[position] != seatKey) ++position;
        if (position == committee.length) revert Jury_NotDrawn(position, seatKey);
    }

    function _requireSpan(uint256 fromSec, uint256 lengthSec) internal view {
        if (block.timestamp < fromSec || block.timestamp >= fromSec + lengthSec) {
            revert PredictionMarket_NotNow(block.timestamp, fromSec, fromSec + lengthSec);
        }
    }
}
