// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IBurnableToken} from "./interfaces/IBurnableToken.sol";
import {IEvaluatorSeats} from "./interfaces/IEvaluatorSeats.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRounds} from "./interfaces/IRounds.sol";
import {IStakes} from "./interfaces/IStakes.sol";
import {RING} from "./libraries/Ring.sol";

/// @title Stakes
/// @notice Holds the stakes of evaluators and proposers.
contract Stakes is IStakes {
    using SafeERC20 for IERC20;

    /// @inheritdoc IStakes
    /// @dev What a seat did in a round can be judged 9 rounds later: `FINALITY_ROUNDS`, and 3 for each of two appeals.
    /// The others are time in which anyone can call for it.
    uint64 public constant UNBONDING_ROUNDS = 2 * RING;

    /// @inheritdoc IStakes
    uint16 public constant MIN_SHARE_MILLI = 500;

    uint256 private constant EVALUATOR_STAKE_WEI = 100 ether;
    uint256 private constant PROPOSER_STAKE_WEI = 50 ether;

    IPeerRegistry internal immutable _registry;
    IRounds internal immutable _rounds;
    uint64 internal immutable _bootstrapRounds;
    address internal immutable _deployer;

    IERC20 internal _token;
    IEvaluatorSeats internal _seats;
    address internal _challenges;
    address internal _openings;
    mapping(Duty duty => mapping(bytes32 peerKey => Stake held)) internal _stakes;

    /// @param registry Says who speaks for a peer.
    /// @param clock The clock.
    /// @param bootstrap First round in which seats and tasks need stakes.
    constructor(IPeerRegistry registry, IRounds clock, uint64 bootstrap) {
        _registry = registry;
        _rounds = clock;
        _bootstrapRounds = bootstrap;
        _deployer = msg.sender;
    }

    /// @inheritdoc IStakes
    function wire(address nectar, address votes, address challenger, address openings_) external {
        if (msg.sender != _deployer || address(_token) != address(0)) revert Stakes_NotWirable(msg.sender);
        _token = IERC20(nectar);
        _seats = IEvaluatorSeats(votes);
        _challenges = challenger;
        _openings = openings_;
        emit Wired(nectar, votes, challenger, openings_, _bootstrapRounds);
    }

    /// @inheritdoc IStakes
    function stake(Duty duty, bytes32 peerKey) external {
        _requireAccount(peerKey);
        Stake storage held = _stakes[duty][peerKey];
        uint256 missingWei = fullStakeOf(duty) - held.amountWei;
        if (missingWei == 0 && held.freeFromRound == 0) revert Stakes_Whole(duty, peerKey);
        held.amountWei += uint128(missingWei);
        held.freeFromRound = 0;
        emit Staked(duty, peerKey, msg.sender, missingWei, held.amountWei);
        if (duty == Duty.Evaluator) _seats.takeSeat(peerKey);
        _token.safeTransferFrom(msg.sender, address(this), missingWei);
    }

    /// @inheritdoc IStakes
    function unstake(Duty duty, bytes32 peerKey) external {
        _requireAccount(peerKey);
        Stake storage held = _stakes[duty][peerKey];
        if (held.amountWei == 0 || held.freeFromRound != 0) revert Stakes_NotStaked(duty, peerKey);
        held.freeFromRound = _rounds.firstOpenRound() + UNBONDING_ROUNDS;
        emit Unstaking(duty, peerKey, held.freeFromRound);
        if (duty == Duty.Evaluator) _seats.leaveSeat(peerKey);
    }

    /// @inheritdoc IStakes
    function withdraw(Duty duty, bytes32 peerKey) external returns (uint256 amountWei) {
        Stake storage held = _stakes[duty][peerKey];
        (uint64 free, uint64 current) = (held.freeFromRound, _rounds.currentRound());
        amountWei = held.amountWei;
        if (amountWei == 0 || free == 0 || current < free) revert Stakes_NotFree(duty, peerKey, free, current);
        delete _stakes[duty][peerKey];
        address account = _registry.accountOf(peerKey);
        emit Withdrawn(duty, peerKey, account, amountWei);
        _token.safeTransfer(account, amountWei);
    }

    /// @inheritdoc IStakes
    function slash(Duty duty, bytes32 peerKey, uint16 milli, address wronged) external returns (uint256 lostWei) {
        if (msg.sender != address(_seats) && msg.sender != _openings) revert Stakes_NotSlasher(msg.sender);
        Stake storage held = _stakes[duty][peerKey];
        uint256 amountWei = held.amountWei;
        if (amountWei == 0) return 0;
        uint256 fullWei = fullStakeOf(duty);
        lostWei = (fullWei * milli) / 1000;
        if (lostWei > amountWei) lostWei = amountWei;
        amountWei -= lostWei;
        held.amountWei = uint128(amountWei);
        emit Slashed(duty, peerKey, msg.sender, lostWei, amountWei);
        if (duty == Duty.Evaluator && !_isEnough(duty, amountWei)) _seats.leaveSeat(peerKey);
        uint256 paidWei = wronged == address(0) ? 0 : lostWei / 2;
        IBurnableToken(address(_token)).burn(lostWei - paidWei);
        if (paidWei == 0) return lostWei;
        emit Compensated(duty, peerKey, wronged, paidWei);
        _token.safeTransfer(wronged, paidWei);
    }

    /// @inheritdoc IStakes
    function stakeOf(Duty duty, bytes32 peerKey) external view returns (Stake memory held) {
        return _stakes[duty][peerKey];
    }

    /// @inheritdoc IStakes
    function mayPropose(bytes32 peerKey, uint64 round) external view returns (bool may) {
        if (round < _bootstrapRounds) return true;
        Stake storage held = _stakes[Duty.Proposer][peerKey];
        // Secrets reach two rounds ahead of the notice.
        bool isOn = held.freeFromRound == 0 || round < held.freeFromRound - UNBONDING_ROUNDS + 2;
        return isOn && _isEnough(Duty.Proposer, held.amountWei);
    }

    /// @inheritdoc IStakes
    function bootstrapRounds() external view returns (uint64 round) {
        return _bootstrapRounds;
    }

    /// @inheritdoc IStakes
    function token() external view returns (IERC20 nectar) {
        return _token;
    }

    /// @inheritdoc IStakes
    function rewardVotes() external view returns (address votes) {
        return address(_seats);
    }

    /// @inheritdoc IStakes
    function challenges() external view returns (address challenges_) {
        return _challenges;
    }

    /// @inheritdoc IStakes
    function openings() external view returns (address openings_) {
        return _openings;
    }

    /// @inheritdoc IStakes
    function peerRegistry() external view returns (IPeerRegistry registry) {
        return _registry;
    }

    /// @inheritdoc IStakes
    function rounds() external view returns (IRounds clock) {
        return _rounds;
    }

    /// @inheritdoc IStakes
    function fullStakeOf(Duty duty) public pure returns (uint256 amountWei) {
        return duty == Duty.Evaluator ? EVALUATOR_STAKE_WEI : PROPOSER_STAKE_WEI;
    }

    function _requireAccount(bytes32 peerKey) internal view {
        if (_registry.accountOf(peerKey) != msg.sender) revert Stakes_NotPeerAccount(peerKey, msg.sender);
    }

    function _isEnough(Duty duty, uint256 amountWei) internal pure returns (bool isEnough) {
        return amountWei * 1000 >= fullStakeOf(duty) * MIN_SHARE_MILLI;
    }
}
