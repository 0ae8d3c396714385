// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {IBurnableToken} from "./interfaces/IBurnableToken.sol";
import {IPeerAccounts} from "./interfaces/IPeerAccounts.sol";
import {IMarketGames} from "./interfaces/IMarketGames.sol";
import {IPredictionMarket} from "./interfaces/IPredictionMarket.sol";
import {IPrgMarket} from "./interfaces/IPrgMarket.sol";

/// @title PrgMarket
/// @notice See `IPrgMarket`.
contract PrgMarket is IPrgMarket, Ownable {
    using SafeCast for uint256;
    using SafeERC20 for IBurnableToken;

    /// @dev Terms of games opened here: rounds of a quarter of an hour, and an hour for each step of a dispute.
    uint32 private constant BETTING_SEC = 10 minutes;
    uint32 private constant REVEAL_SEC = 5 minutes;
    uint32 private constant DISPUTE_SEC = 1 hours;
    uint96 private constant MIN_BET = 0.01e18;
    uint96 private constant FREE_SHARES = 0.1e18;
    uint112 private constant BOND = 10e18;

    /// @notice Says who speaks for a peer id.
    IPeerAccounts public immutable swarmCoordinator;

    /// @inheritdoc IPrgMarket
    IPredictionMarket public market;

    IBurnableToken internal _token;

    mapping(bytes32 peerKey => uint256 amount) internal _deposits;
    mapping(address account => uint256 amount) internal _bondDeposits;
    mapping(uint256 gameIdx => uint256 count) internal _roundsAnnounced;
    mapping(uint256 gameIdx => bool made) internal _answerAnnounced;

    /// @param swarmCoordinator_ Says who speaks for a peer id.
    /// @param initialOwner Who may open games here.
    constructor(IPeerAccounts swarmCoordinator_, address initialOwner) Ownable(initialOwner) {
        swarmCoordinator = swarmCoordinator_;
    }

    /// @inheritdoc IPrgMarket
    function bindMarket(IPredictionMarket market_) external onlyOwner {
        if (address(market) != address(0)) revert PrgMarket_AlreadyBound(address(market));
        address facade = market_.peerFacade();
        if (facade != address(this)) revert PrgMarket_OtherFacade(address(market_), facade);
        (market, _token) = (market_, market_.token());
        emit MarketBound(address(market_));
        // The market takes only what this contract bets or posts in the same call.
        _token.forceApprove(address(market_), type(uint256).max);
    }

    /// @inheritdoc IPrgMarket
    function createNewGame(
        uint256 roundCount,
        uint256 choiceCount_,
        bytes32 merkleRoot
    ) external onlyOwner returns (uint256 newGameIdx) {
        _bondDeposits[msg.sender] = _less(_bondDeposits[msg.sender], BOND);
        emit BondDepositChanged(msg.sender, _bondDeposits[msg.sender]);
        uint32 leastDisputeSec = market.minDisputeSec();
        newGameIdx = market.createGameFor(
            msg.sender,
            IMarketGames.GameConfig({
                root: merkleRoot,
                roundCount: roundCount.toUint8(),
                choiceCount: choiceCount_.toUint8(),
                startsAtSec: uint40(block.timestamp),
                bettingSec: BETTING_SEC,
                revealSec: REVEAL_SEC,
                disputeSec: leastDisputeSec > DISPUTE_SEC ? leastDisputeSec : DISPUTE_SEC,
                minBet: MIN_BET,
                freeShares: FREE_SHARES,
                bond: BOND,
                feeBps: 0
            })
        );
        emit NewGameCreated(newGameIdx, roundCount, choiceCount_, block.timestamp);
    }

    /// @inheritdoc IPrgMarket
    function guessAnswer(
        uint256 gameIdx,
        string calldata peerId,
        uint256 roundIdx,
        uint256 choiceIdx,
        uint256 bet
    ) external {
        bytes32 peerKey = _requireSpeaker(peerId);
        _deposits[peerKey] = _less(_deposits[peerKey], bet);
        emit NewGuess(gameIdx, msg.sender, peerId, roundIdx, choiceIdx, bet);
        market.betFor(msg.sender, peerKey, gameIdx, roundIdx.toUint8(), choiceIdx.toUint8(), bet);
    }

    /// @inheritdoc IPrgMarket
    function incrementRound(uint256 gameIdx) external onlyOwner {
        uint256 announced = _roundsAnnounced[gameIdx];
        if (announced >= market.gameOf(gameIdx).cluesRevealed) revert PrgMarket_ClueNotProven(gameIdx, announced);
        _roundsAnnounced[gameIdx] = announced + 1;
        emit RoundIncremented(gameIdx, block.timestamp);
    }

    /// @inheritdoc IPrgMarket
    function revealAnswer(uint256 gameIdx, uint256 correctChoiceIdx, uint256 jobId) external onlyOwner {
        IMarketGames.GameView memory game = market.gameOf(gameIdx);
        if (!game.answered || game.answer != correctChoiceIdx || _answerAnnounced[gameIdx]) {
            revert PrgMarket_AnswerNotProven(gameIdx, correctChoiceIdx);
        }
        _answerAnnounced[gameIdx] = true;
        emit AnswerRevealed(gameIdx, correctChoiceIdx, jobId);
    }

    /// @inheritdoc IPrgMarket
    function claimReward(uint256 gameIdx, string calldata peerId) external {
        bytes32 peerKey = _requireSpeaker(peerId);
        if (market.phaseOf(gameIdx) == IMarketGames.Phase.ResolutionDue) market.resolve(gameIdx);
        uint256 shares = 0;
        if (market.phaseOf(gameIdx) == IMarketGames.Phase.Resolved) {
            (, shares) = market.positionOf(gameIdx, market.gameOf(gameIdx).answer, peerKey);
        }
        uint256 payout = market.claimFor(msg.sender, peerKey, gameIdx);
        emit RewardClaimed(gameIdx, msg.sender, peerId, shares, payout);
    }

    /// @inheritdoc IPrgMarket
    function deposit(string calldata peerId, address account, uint256 amount) external {
        address speaker = _accountOf(peerId);
        if (speaker == address(0) || speaker != account) revert PrgMarket_NotPeerAccount(peerId, speaker);
        bytes32 peerKey = keccak256(bytes(peerId));
        _deposits[peerKey] = _more(_deposits[peerKey], amount);
        emit BetTokensDeposited(peerKey, msg.sender, peerId, amount);
        _token.safeTransferFrom(msg.sender, address(this), amount);
    }

    /// @inheritdoc IPrgMarket
    function withdraw(string calldata peerId, uint256 amount) external {
        bytes32 peerKey = _requireSpeaker(peerId);
        _deposits[peerKey] = _less(_deposits[peerKey], amount);
        emit BetTokensWithdrawn(peerKey, msg.sender, amount);
        _token.safeTransfer(msg.sender, amount);
    }

    /// @inheritdoc IPrgMarket
    function depositBond(uint256 amount) external {
        _bondDeposits[msg.sender] = _more(_bondDeposits[msg.sender], amount);
        emit BondDepositChanged(msg.sender, _bondDeposits[msg.sender]);
        _token.safeTransferFrom(msg.sender, address(this), amount);
    }

    /// @inheritdoc IPrgMarket
    function withdrawBond(uint256 amount) external {
        _bondDeposits[msg.sender] = _less(_bondDeposits[msg.sender], amount);
        emit BondDepositChanged(msg.sender, _bondDeposits[msg.sender]);
        _token.safeTransfer(msg.sender, amount);
    }

    /// @inheritdoc IPrgMarket
    function betTokenBalance(string calldata peerId) external view returns (uint256 balance) {
        return _deposits[keccak256(bytes(peerId))];
    }

    /// @inheritdoc IPrgMarket
    function bondDeposit(address account) external view returns (uint256 balance) {
        return _bondDeposits[account];
    }

    /// @inheritdoc IPrgMarket
    function choiceCount(uint256 gameIdx) external view returns (uint256 count) {
        return market.gameOf(gameIdx).config.choiceCount;
    }

    /// @inheritdoc IPrgMarket
    function choiceSupply(uint256 gameIdx, uint256 choiceIdx) external view returns (uint256 supply) {
        (, supply) = market.choiceOf(gameIdx, choiceIdx.toUint8());
    }

    /// @inheritdoc IPrgMarket
    function choiceTokenBalance(
        uint256 gameIdx,
        uint256 choiceIdx,
        string calldata peerId
    ) external view returns (uint256 balance) {
        (, balance) = market.positionOf(gameIdx, choiceIdx.toUint8(), keccak256(bytes(peerId)));
    }

    /// @inheritdoc IPrgMarket
    function choiceTokensOut(
        uint256 gameIdx,
        uint256 roundIdx,
        uint256 choiceIdx,
        uint256 bet
    ) external view returns (uint256 shares) {
        uint256 priceIn18 = price(gameIdx, roundIdx, choiceIdx);
        if (roundIdx != market.gameOf(gameIdx).cluesRevealed) return Math.mulDiv(bet, 1e18, priceIn18);
        (shares, ) = market.quote(gameIdx, choiceIdx.toUint8(), bet);
    }

    /// @inheritdoc IPrgMarket
    function currentRoundIdx(uint256 gameIdx) external view returns (uint256 roundIdx) {
        return market.gameOf(gameIdx).round;
    }

    /// @inheritdoc IPrgMarket
    function price(uint256 gameIdx, uint256 roundIdx, uint256 choiceIdx) public view returns (uint256 priceIn18) {
        return market.priceOf(gameIdx, roundIdx.toUint8(), choiceIdx.toUint8());
    }

    /// @inheritdoc IPrgMarket
    function totalBets(uint256 gameIdx) external view returns (uint256 total) {
        return market.gameOf(gameIdx).totalStake;
    }

    /// @inheritdoc IPrgMarket
    function gameStatus(uint256 gameIdx) external view returns (uint8 status) {
        IMarketGames.GameView memory game = market.gameOf(gameIdx);
        if (game.phase == IMarketGames.Phase.Resolved) return 2;
        if (game.phase == IMarketGames.Phase.Void) return 3;
        return game.answered ? 1 : 0;
    }

    function _requireSpeaker(string calldata peerId) internal view returns (bytes32 peerKey) {
        address account = _accountOf(peerId);
        if (account != msg.sender) revert PrgMarket_NotPeerAccount(peerId, account);
        return keccak256(bytes(peerId));
    }

    function _accountOf(string calldata peerId) internal view returns (address account) {
        string[] memory peerIds = new string[](1);
        peerIds[0] = peerId;
        return swarmCoordinator.getEoa(peerIds)[0];
    }

    function _more(uint256 deposited, uint256 amount) internal pure returns (uint256 sum) {
        if (amount > type(uint256).max - deposited) revert PrgMarket_DepositTooLarge(amount, deposited);
        return deposited + amount;
    }

    function _less(uint256 deposited, uint256 amount) internal pure returns (uint256 left) {
        if (amount > deposited) revert PrgMarket_DepositTooSmall(amount, deposited);
        return deposited - amount;
    }
}
