// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRolloutCommitments} from "../interfaces/IRolloutCommitments.sol";
import {IWithheldLeaves} from "../interfaces/IWithheldLeaves.sol";
import {Draws} from "../libraries/Draws.sol";
import {SpecificationFields} from "../libraries/SpecificationFields.sol";
import {ChallengeBonds} from "./ChallengeBonds.sol";
import {CommittedWork} from "./CommittedWork.sol";

/// @title WithheldLeaves
/// @notice The part of `Challenges` for demands and responses.
abstract contract WithheldLeaves is IWithheldLeaves, CommittedWork, ChallengeBonds {
    using SpecificationFields for bytes;

    /// @inheritdoc IWithheldLeaves
    uint256 public constant MAX_BODY_BYTES = 65_536;

    /// @inheritdoc IWithheldLeaves
    uint256 public constant RESPONSE_GAS = 3_000_000;

    /// @inheritdoc IWithheldLeaves
    uint64 public constant RESPONSE_BLOCKS = 16;

    /// @inheritdoc IWithheldLeaves
    uint256 public immutable MIN_GAS_PRICE_WEI;

    /// @dev EIP-7623: calldata has one token for a zero byte and four for any other. A transaction pays 4 gas per token
    /// and its execution, and at least 10 per token.
    uint256 private constant TRANSACTION_GAS = 21_000;
    uint256 private constant TOKEN_GAS = 4;
    uint256 private constant FLOOR_TOKEN_GAS = 10;
    /// @dev Calldata of `showLeaf` with an empty proof and an empty body: the selector and 15 words.
    uint256 private constant RESPONSE_BYTES = 484;
    /// @dev Gas after the last measurement: the event, and two credits of accounts that have one already.
    uint256 private constant CLOSING_GAS = 15_000;
    uint256 private constant FIRST_CREDIT_GAS = 17_100;
    /// @dev In each byte of a word: all bits but the highest, and the lowest bit.
    uint256 private constant LOW_BITS = (type(uint256).max / 255) * 127;
    uint256 private constant ONES = type(uint256).max / 255;

    mapping(bytes32 leaf => Demand demand) internal _demands;

    /// @param minGasPriceWei See `MIN_GAS_PRICE_WEI`.
    constructor(uint256 minGasPriceWei) {
        MIN_GAS_PRICE_WEI = minGasPriceWei;
    }

    /// @inheritdoc IWithheldLeaves
    function demandLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        Sample calldata sample
    ) external payable returns (uint32 index) {
        uint64 current = _currentRound();
        if (current <= round || current > round + 2) revert Challenges_NotDemandable(round, current);
        uint256 dueWei = minDemandBond();
        if (msg.value < dueWei) revert Challenges_BondTooSmall(msg.value, dueWei);
        _commitments.requireCommitted(round, peerKey, work);
        index = _sampledLeaf(round, peerKey, work.leafCount, sample);
        Demand storage demand = _demands[_keyOf(round, peerKey, index)];
        if (demand.state != DemandState.None) revert Challenges_AlreadyDemanded(round, peerKey, index);
        (demand.challenger, demand.openedRound) = (msg.sender, current);
        (demand.state, demand.bondWei, demand.openedBlock) = (
            DemandState.Open,
            uint192(msg.value),
            uint64(block.number)
        );
        emit LeafDemanded(round, peerKey, index, msg.sender, msg.value, current + 1);
        _votes.hold(round, peerKey);
    }

    /// @inheritdoc IWithheldLeaves
    function showLeaf(
        uint64 round,
        bytes32 peerKey,
        IRolloutCommitments.Work calldata work,
        IRolloutCommitments.Leaf calldata leaf,
        bytes32[] calldata proof,
        bytes calldata body
    ) external {
        uint256 startGas = gasleft();
        Demand storage demand = _openDemand(round, peerKey, leaf.index);
        if (body.length > MAX_BODY_BYTES) revert Challenges_BodyTooLarge(body.length);
        _requireBody(leaf.bodyHash, body);
        _commitments.requireLeaf(round, peerKey, work, leaf, proof);
        demand.state = DemandState.Shown;
        _votes.release(round, peerKey);
        (address challenger, uint256 bondWei) = (demand.challenger, demand.bondWei);
        uint256 bytesNeeded = RESPONSE_BYTES + 32 * (proof.length + (body.length + 31) / 32);
        uint256 paidWei = _responsePay(bondWei, challenger, startGas, bytesNeeded);
        emit LeafShown(round, peerKey, leaf.index, msg.sender, paidWei);
        _credit(msg.sender, paidWei);
        _credit(challenger, bondWei - paidWei);
    }

    /// @inheritdoc IWithheldLeaves
    function closeDemand(uint64 round, bytes32 peerKey, uint32 index) external {
        Demand storage demand = _openDemand(round, peerKey, index);
        uint64 current = _currentRound();
        if (current < demand.openedRound + 2) revert Challenges_TooEarly(demand.openedRound + 1, current);
        uint256 dueBlock = demand.openedBlock + RESPONSE_BLOCKS;
        if (block.number < dueBlock) revert Challenges_TooFewBlocks(dueBlock, block.number);
        demand.state = DemandState.Withheld;
        _credit(demand.challenger, demand.bondWei);
        uint16 lostMilli = _votes.forfeit(round, peerKey);
        emit LeafWithheld(round, peerKey, index, lostMilli, demand.challenger);
    }

    /// @inheritdoc IWithheldLeaves
    function demandOf(uint64 round, bytes32 peerKey, uint32 index) external view returns (Demand memory demand) {
        return _demands[_keyOf(round, peerKey, index)];
    }

    /// @inheritdoc IWithheldLeaves
    function minDemandBond() public view returns (uint256 bondWei) {
        uint256 priceWei = 2 * block.basefee;
        return RESPONSE_GAS * (priceWei < MIN_GAS_PRICE_WEI ? MIN_GAS_PRICE_WEI : priceWei);
    }

    /// @dev Cost of the response to its sender, at most at the gas price that the bond covers. Calldata is paid to a
    /// plain account that sends the transaction itself: a contract makes it from nothing. It is not paid if it is
    /// longer than the response needs: the decoder ignores what follows the arguments.
    function _responsePay(
        uint256 bondWei,
        address challenger,
        uint256 startGas,
        uint256 bytesNeeded
    ) internal view returns (uint256 paidWei) {
        // solhint-disable-next-line avoid-tx-origin
        bool isSent = msg.sender == tx.origin && msg.sender.code.length == 0;
        uint256 tokens = isSent && msg.data.length == bytesNeeded ? 4 * msg.data.length - 3 * _zeroBytes() : 0;
        uint256 spentGas = CLOSING_GAS;
        if (creditOf(msg.sender) == 0) spentGas += FIRST_CREDIT_GAS;
        if (creditOf(challenger) == 0) spentGas += FIRST_CREDIT_GAS;
        spentGas += startGas - gasleft() + TOKEN_GAS * tokens;
        if (spentGas < FLOOR_TOKEN_GAS * tokens) spentGas = FLOOR_TOKEN_GAS * tokens;
        if (isSent) spentGas += TRANSACTION_GAS;
        uint256 priceWei = bondWei / RESPONSE_GAS;
        // Gas is estimated at price 0; the estimate must not be lower for it.
        if (tx.gasprice < priceWei) priceWei = tx.gasprice == 0 ? 1 : tx.gasprice;
        paidWei = spentGas * priceWei;
        return paidWei < bondWei ? paidWei : bondWei;
    }

    function _openDemand(uint64 round, bytes32 peerKey, uint32 index) internal view returns (Demand storage demand) {
        demand = _demands[_keyOf(round, peerKey, index)];
        if (demand.state != DemandState.Open) revert Challenges_NotDemanded(round, peerKey, index);
    }

    /// @dev The leaf at a place in the draw; later steps of the draw are skipped.
    function _sampledLeaf(
        uint64 round,
        bytes32 peerKey,
        uint32 leafCount,
        Sample calldata sample
    ) internal view returns (uint32 index) {
        bytes32 specificationHash = keccak256(sample.specification);
        if (specificationHash != _rounds.environmentOf(round)) {
            revert Challenges_NotEnvironment(round, specificationHash);
        }
        (uint256 owed, uint256 sampled) = sample.specification.sampleAt(sample.owedAt, sample.sampledAt);
        if (sample.place >= sampled) revert Challenges_NotSampled(sample.place, sampled, leafCount);
        bytes32 seed = Draws.seedOf("waggle sample", round, _beaconOf(round), peerKey);
        index = Draws.distinct(owed, uint256(sample.place) + 1, seed)[sample.place];
        if (index >= leafCount) revert Challenges_NotSampled(sample.place, sampled, leafCount);
    }

    function _requireBody(bytes32 expected, bytes calldata body) internal pure {
        bytes32 bodyHash = sha256(body);
        if (bodyHash != expected) revert Challenges_NotBody(bodyHash, expected);
    }

    function _keyOf(uint64 round, bytes32 peerKey, uint32 index) internal pure returns (bytes32 key) {
        return keccak256(abi.encode(round, peerKey, index));
    }

    /// @dev Zero bytes of the calldata: where one is, adding `LOW_BITS` to the low bits leaves the highest bit unset.
    function _zeroBytes() private pure returns (uint256 count) {
        for (uint256 at = 0; at < msg.data.length; at += 32) {
            uint256 word;
            assembly {
                word := calldataload(at)
            }
            unchecked {
                uint256 isZero = ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
                count += ((isZero >> 7) * ONES) >> 248;
            }
        }
        // The last word reaches beyond the end.
        return count - ((32 - (msg.data.length % 32)) % 32);
    }
}
